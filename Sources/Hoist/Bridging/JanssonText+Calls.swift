internal import CHoist
internal import CHoist.Jansson
internal import HoistCore

/// How calls that take or give JSON text serve jansson's values.
extension JanssonText {
  private static let refusal = "the value is NULL, nested too deeply, or not UTF-8"

  /// What a call makes of a value's text; nil, with the error set, where `bytes` gives nil.
  static func make(
    _ value: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
    _ call: (UnsafePointer<CChar>?, Int) -> OpaquePointer?
  ) -> OpaquePointer? {
    if let made = lend(value, call) { return made }
    _ = ErrorSlot(error).fail(.argument, refusal)
    return nil
  }

  /// The status of a call that takes a value's text; `.argument` likewise.
  static func send(
    _ value: UnsafePointer<json_t>?, _ error: UnsafeMutablePointer<OpaquePointer?>? = nil,
    _ call: (UnsafePointer<CChar>?, Int) -> hoist_status
  ) -> hoist_status { lend(value, call) ?? ErrorSlot(error).fail(.argument, refusal) }

  /// Runs `body` with a value's text, ended by NUL; with NULL for NULL.
  /// - Returns: nil where `bytes` does for a value.
  static func terminated<Result>(_ value: UnsafePointer<json_t>?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result? {
    guard value != nil else { return body(nil) }
    return bytes(value).map { bytes in (bytes + [0]).withUnsafeBytes { body($0.chars) } }
  }

  /// Hands out what a call gives as text.
  static func hand(
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?, _ call: (UnsafeMutablePointer<OpaquePointer?>?) -> hoist_status
  ) -> hoist_status {
    place?.pointee = nil
    guard let place else { return call(nil) }
    var text: OpaquePointer?
    let status = call(&text)
    place.pointee = value(taking: text)
    return status
  }

  /// The same for a call that takes a fallback.
  static func hand(
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?, orElse fallback: UnsafePointer<json_t>?,
    _ call: (UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> hoist_status
  ) -> hoist_status {
    place?.pointee = nil
    return terminated(fallback) { fallback in hand(place) { call(fallback, $0) } } ?? Status.argument.rawValue
  }
}
