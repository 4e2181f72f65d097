public import HoistCore

/// Why something is no context (protocols/launchdarkly.md 3.2 and 3.3).
public struct ContextFailure: Error, Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case kindInvalid, keyEmpty, multiEmpty, kindsDuplicate, multiBuilderRequired, attributeRefused
    /// Not JSON at all.
    case syntax
    /// More than a context may hold.
    case limit
  }

  public let kind: Kind
  /// One line for people. Names kinds and attributes, and quotes no values: those may be private.
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var status: Status {
    switch kind {
    case .kindInvalid: Status(rawValue: 1200)
    case .keyEmpty: Status(rawValue: 1201)
    case .multiEmpty: Status(rawValue: 1202)
    case .kindsDuplicate: Status(rawValue: 1203)
    case .multiBuilderRequired: Status(rawValue: 1204)
    case .attributeRefused: Status(rawValue: 1205)
    case .syntax: .parse
    case .limit: .limit
    }
  }

  static func attribute(_ name: String, _ fault: String) -> ContextFailure {
    ContextFailure(.attributeRefused, "the context's attribute \"\(name.prefix(80))\" \(fault)")
  }
}
