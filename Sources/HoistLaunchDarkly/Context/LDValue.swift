internal import HoistBase

/// A JSON value in the service's sense (row LD-72, protocols/launchdarkly.md 4.1): numbers are doubles, the members of
/// an object have no order.
///
/// What outside text can nest is limited; see `maximumDepth`.
public enum LDValue: Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([LDValue])
  case object(LDObject)

  /// Containers around a value, itself included. Values are freed recursively, on threads with little stack too.
  public static let maximumDepth = 128
}

/// Conversions: none across JSON types.
extension LDValue {
  public var isNull: Bool { if case .null = self { true } else { false } }
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var array: [LDValue]? { if case .array(let value) = self { value } else { nil } }
  public var object: LDObject? { if case .object(let value) = self { value } else { nil } }

  /// A number truncated toward zero; nil for one out of range (4.2.2: where the vendor's own kit traps).
  public var int64: Int64? { number.flatMap { Int64(exactly: $0.rounded(.towardZero)) } }
}

/// Not `nil`, which would turn missing values into null.
extension LDValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .number(Double(value)) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: LDValue...) { self = .array(elements) }
  public init(dictionaryLiteral members: (String, LDValue)...) {
    self = .object(LDObject(members.map { LDObject.Member(name: $0.0, value: $0.1) }))
  }
}

extension LDValue: Equatable {
  /// `1` equals `1.0`, no boolean equals a number, texts are equal by their bytes.
  public static func == (left: LDValue, right: LDValue) -> Bool {
    var pending = [(left, right)]
    while let (left, right) = pending.popLast() {
      switch (left, right) {
      case (.null, .null): continue
      case (.bool(let one), .bool(let other)): if one != other { return false }
      case (.number(let one), .number(let other)): if one != other { return false }
      case (.string(let one), .string(let other)): if !one.hasSameBytes(as: other) { return false }
      case (.array(let one), .array(let other)):
        guard one.count == other.count else { return false }
        pending.append(contentsOf: zip(one, other))
      case (.object(let one), .object(let other)):
        guard one.count == other.count else { return false }
        for (member, twin) in zip(one, other) {
          guard member.name.hasSameBytes(as: twin.name) else { return false }
          pending.append((member.value, twin.value))
        }
      default: return false
      }
    }
    return true
  }
}

/// Texts compared by their bytes, as the service compares them.
extension String {
  func hasSameBytes(as other: String) -> Bool {
    withBytes { bytes in other.withBytes { bytes.hasSameBytes(as: $0) } }
  }

  func byteOrder(against other: String) -> Ordering {
    withBytes { bytes in other.withBytes { bytes.order(against: $0) } }
  }

  func reads(_ literal: StaticString) -> Bool { withBytes { $0.reads(literal) } }
}

/// How large a value is, without writing it: parts that are shared in memory count wherever they stand.
public struct LDValueSize: Sendable {
  /// A lower bound of the bytes of JSON.
  public var bytes: Int
  /// Containers in one another.
  public var depth: Int

  /// - Returns: nil as soon as a limit is passed.
  public init?(_ value: LDValue, maximumBytes: Int, maximumDepth: Int) {
    (bytes, depth) = (0, 0)
    var pending: [(value: LDValue, depth: Int)] = [(value, 0)]
    while let (value, outer) = pending.popLast() {
      bytes += 1
      switch value {
      case .null, .bool, .number: continue
      case .string(let text): bytes += text.utf8.count
      case .array(let elements):
        depth = max(depth, outer + 1)
        for element in elements { pending.append((element, outer + 1)) }
      case .object(let object):
        depth = max(depth, outer + 1)
        for member in object {
          bytes += member.name.utf8.count
          pending.append((member.value, outer + 1))
        }
      }
      if bytes + pending.count > maximumBytes || depth > maximumDepth { return nil }
    }
    if bytes > maximumBytes { return nil }
  }

  /// Of a scalar without text, or an empty container.
  init(ofSmall value: LDValue) {
    bytes = 1
    depth = value.array == nil && value.object == nil ? 0 : 1
  }

  /// Of a value within the limits.
  static func bytes(of value: LDValue) -> Int {
    LDValueSize(value, maximumBytes: .max, maximumDepth: .max)?.bytes ?? 0
  }
}
