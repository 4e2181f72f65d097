import CHoist
import Glibc

/// Why the command ends early: one line that says what was wrong, where, and what to do.
struct Problem: Error {
  /// Exit statuses.
  enum Kind: Int32 {
    case negative = 1
    case usage, network, configuration, unknown
    /// Of what was taken to be sent.
    case left
  }

  let kind: Kind
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// - Parameter error: freed here.
  init(status: hoist_status, error: OpaquePointer?, hint: String = "") {
    defer { hoist_error_free(error) }
    let text = error == nil ? String(cString: hoist_status_name(status)) : String(cString: hoist_error_message(error))
    self.init(Self.kind(of: status), text + hint)
  }

  /// Calls a function of the library's that may give a reason.
  /// - Parameter origin: of what is refused; begins the problem's message.
  static func unless(_ kind: Kind, _ origin: String, _ call: (UnsafeMutablePointer<OpaquePointer?>) -> hoist_status) throws {
    var error: OpaquePointer?
    defer { hoist_error_free(error) }
    guard call(&error) != HOIST_OK else { return }
    throw Problem(kind, "\(origin): \(String(cString: hoist_error_message(error)))")
  }

  static func kind(of status: hoist_status) -> Kind {
    switch Int(status) {
    case HOIST_ERR_NETWORK, HOIST_ERR_REJECTED, HOIST_ERR_TIMEOUT, HOIST_ERR_CANCELLED, 1000...1004: .network
    case HOIST_ERR_NOT_FOUND: .negative
    // What was asked of the service with arguments it cannot carry.
    case HOIST_ERR_ARGUMENT, HOIST_ERR_UNSUPPORTED, HOIST_ERR_OPTIMIZELY_EVENT_KEY_INVALID,
      HOIST_ERR_OPTIMIZELY_USER_ID_INVALID, HOIST_ERR_FLAGSHIP_HIT_INVALID:
      .usage
    default: .configuration
    }
  }

  func end() -> Never {
    Output.error("hoist: \(message)")
    exit(kind.rawValue)
  }
}
