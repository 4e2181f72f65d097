internal import Glibc
internal import HoistBase

/// Reading what C hands over.
enum CString {
  /// The bytes before the NUL.
  @inline(__always)
  static func bytes(_ text: UnsafePointer<CChar>) -> ByteView { ByteView(start: text, count: strlen(text)) }

  /// The same; nil for NULL and for invalid UTF-8.
  @inline(__always)
  static func view(_ text: UnsafePointer<CChar>?) -> ByteView? {
    guard let text else { return nil }
    let bytes = bytes(text)
    return UTF8Text.isValid(bytes) ? bytes : nil
  }

  /// nil for NULL and for invalid UTF-8.
  static func text(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text else { return nil }
    let bytes = bytes(text)
    return UTF8Text.isValid(bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// nil for NULL and for invalid UTF-8.
  static func array(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
    guard let text else { return nil }
    let bytes = bytes(text)
    return UTF8Text.isValid(bytes) ? Array(bytes) : nil
  }

  /// JSON that was handed over as a pointer and a length; nil, and an error in the slot, for what cannot be read.
  static func json(_ start: UnsafePointer<CChar>?, _ length: Int, _ slot: ErrorSlot) -> UnsafeRawBufferPointer? {
    guard let start else {
      _ = slot.fail(.argument, "json is NULL")
      return nil
    }
    guard length >= 0 else {
      _ = slot.fail(.argument, wrongLength("json", length))
      return nil
    }
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// What to say of a `size_t` that no memory can have, which Swift sees as negative.
  static func wrongLength(_ name: String, _ length: Int) -> String {
    "the length of \(name) is \(UInt(bitPattern: length)), more than any text can have"
  }

  /// `count` bytes; nil for NULL (unless the count is 0) and for invalid UTF-8.
  static func array(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8]? {
    guard count >= 0, start != nil || count == 0 else { return nil }
    let bytes = ByteView(start: start, count: count)
    return UTF8Text.isValid(bytes) ? Array(bytes) : nil
  }
}
