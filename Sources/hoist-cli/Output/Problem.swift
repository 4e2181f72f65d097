import CHoist
import Glibc

/// Why the command ends early: one line that says what was wrong, where, and what to do.
struct Problem: Error {
  /// Exit statuses.
  enum Kind: Int32 {
    case negative = 1
    case usage, network, configuration
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

  static func kind(of status: hoist_status) -> Kind {
    switch Int(status) {
    case HOIST_ERR_NETWORK, HOIST_ERR_TIMEOUT, HOIST_ERR_CANCELLED, 1000...1004: .network
    case HOIST_ERR_NOT_FOUND: .negative
    default: .configuration
    }
  }

  func end() -> Never {
    Output.error("hoist: \(message)")
    exit(kind.rawValue)
  }
}
