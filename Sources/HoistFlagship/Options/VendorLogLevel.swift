internal import HoistCore

/// The vendor's seven levels (FS-11): a line passes when its level is not above the configured one. Debugging comes before
/// information there.
enum VendorLogLevel: Int, CaseIterable, Sendable {
  case none = 0
  case exceptions, error, warning, debug, info, all

  /// "none" for names that do not exist.
  init(name: String) { self = Self.allCases.first { $0.name == name } ?? .none }

  var name: String {
    switch self {
    case .none: "none"
    case .exceptions: "exceptions"
    case .error: "error"
    case .warning: "warning"
    case .debug: "debug"
    case .info: "info"
    case .all: "all"
    }
  }

  /// Nothing throws here, so that exceptions alone let nothing through.
  var levels: LogLevels {
    let own: [(LogLevel, VendorLogLevel)] = [(.error, .error), (.warning, .warning), (.debug, .debug), (.info, .info)]
    return own.reduce(into: []) { if $1.1.rawValue <= rawValue { $0.insert(LogLevels($1.0)) } }
  }
}
