/// How large a value is, without writing it: parts that are shared in memory count wherever they stand.
public struct LDValueSize: Sendable {
  /// At least so many bytes of JSON.
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
