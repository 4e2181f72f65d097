/// Ids of people who have given one answer: at least `leastCount` are remembered, the newest in any case; at twice as many,
/// the older half is forgotten.
public struct NotedSubjects: Sendable {
  public static let leastCount = 5_000

  private var young: Set<[UInt8]> = []
  private var old: Set<[UInt8]> = []

  public init() {}

  public var isEmpty: Bool { young.isEmpty && old.isEmpty }

  public func contains(_ id: [UInt8]) -> Bool { young.contains(id) || old.contains(id) }

  public mutating func insert(_ id: [UInt8]) {
    old.remove(id)
    young.insert(id)
    if young.count >= Self.leastCount { (old, young) = (young, []) }
  }

  public mutating func remove(_ id: [UInt8]) {
    young.remove(id)
    old.remove(id)
  }
}
