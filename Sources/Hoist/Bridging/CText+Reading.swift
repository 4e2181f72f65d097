internal import Glibc
internal import HoistBase
internal import HoistCore

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

  /// - Parameter name: of the text, for the message.
  static func need(_ text: UnsafePointer<CChar>?, _ name: @autoclosure () -> String) throws(Refusal) -> String {
    guard let read = Self.text(text) else { throw Refusal(.argument, "\(name()) is NULL or not UTF-8") }
    return read
  }

  static func needPath(_ path: UnsafePointer<CChar>?, _ name: String = "the path") throws(Refusal) -> String {
    guard let path = text(path), !path.isEmpty else { throw Refusal(.argument, "\(name) is NULL, empty or not UTF-8") }
    return path
  }

  /// A text that may be NULL.
  static func optional(_ text: UnsafePointer<CChar>?, _ name: String) throws(Refusal) -> [UInt8]? {
    guard let read = array(text) else {
      if text == nil { return nil }
      throw Refusal(.argument, "\(name) is not UTF-8")
    }
    return read
  }

  /// JSON that was handed over as a pointer and a length.
  static func json(_ start: UnsafePointer<CChar>?, _ length: Int) throws(Refusal) -> UnsafeRawBufferPointer {
    guard let start else { throw Refusal(.argument, "json is NULL") }
    guard length >= 0 else { throw Refusal(.argument, wrongLength("json", length)) }
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The texts of a list, at most so many.
  static func list(
    _ texts: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, limit: Int = .max
  ) throws(Refusal) -> [[UInt8]] {
    guard count >= 0, texts != nil || count == 0 else { throw Refusal(.argument, "the list is NULL") }
    guard count <= limit else { throw Refusal(.limit, "the list has more than \(limit) texts") }
    var list: [[UInt8]] = []
    for text in UnsafeBufferPointer(start: texts, count: count) {
      guard let bytes = array(text) else { throw Refusal(.argument, "a text of the list is NULL or not UTF-8") }
      list.append(bytes)
    }
    return list
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

extension UnsafeRawBufferPointer {
  /// The bytes as C sees them; NULL for none.
  var chars: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

/// A host's pointer on its way through closures.
struct UserData: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
}
