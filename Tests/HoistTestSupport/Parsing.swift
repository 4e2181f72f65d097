public import HoistBase

// Parsers and hashes take a view of bytes; tests have texts.

extension IPAddress {
  public init?(_ text: some ByteSource) {
    guard let address = text.withBytes({ IPAddress($0) }) else { return nil }
    self = address
  }
}

extension CIDR {
  public init?(_ text: some ByteSource) {
    guard let range = text.withBytes({ CIDR($0) }) else { return nil }
    self = range
  }
}

extension SemanticVersion {
  public init?(_ text: some ByteSource) {
    guard let version = text.withBytes({ SemanticVersion($0) }) else { return nil }
    self = version
  }
}

extension DecimalParser {
  public static func parse(_ text: some ByteSource, _ grammar: Grammar) -> Double? {
    text.withBytes { parse($0, grammar) }
  }
}

extension IntegerParser {
  public static func parse<Value: FixedWidthInteger & Sendable>(
    _ text: some ByteSource, as type: Value.Type, signs: Signs = .none
  ) -> Outcome<Value> {
    text.withBytes { parse($0, as: type, signs: signs) }
  }
}

extension RFC3339 {
  public static func parse(_ text: some ByteSource) -> UnixInstant? { text.withBytes { parse($0) } }
}

extension Murmur3State {
  public func finish(appending text: some ByteSource) -> UInt32 { text.withBytes { finish(appending: $0) } }
}
