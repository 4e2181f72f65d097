/// What kind of rule assigned a variation (protocols/kameleoon.md 2.3).
enum RuleType: UInt8, Sendable {
  /// Told by the service, or of a kind that this SDK does not know.
  case unknown = 0
  case experimentation, targetedDelivery
}

/// A variation that a visitor got in an experiment.
struct Assignment: Sendable, Equatable {
  var experimentID: Int64
  var variationID: Int64
  var rule: RuleType
  /// Whether an exposure waits to be sent.
  var isUnsent: Bool
  /// Milliseconds of Unix time.
  var time: Int64
}

/// The variations of a visitor, one of an experiment, in the order in which the experiments first came (KAM-29).
struct AssignmentTable: Sendable {
  private(set) var entries: [Assignment] = []
  /// Places in `entries` plus one, by hash; 0 is free. At most half full, a power of two; empty for few entries.
  private var slots: [UInt32] = []

  /// Up to this many a linear search is used.
  private static let maximumScanned = 8

  init() {}

  init(_ assignments: some Sequence<Assignment>) { for assignment in assignments { set(assignment) } }

  subscript(experimentID: Int64) -> Assignment? { place(of: experimentID).map { entries[$0] } }

  /// Whether an evaluation with this result changes nothing: the same variation in this visit, with an exposure that waits
  /// or none wanted. An exposure that waits stays, also when the variation was then got untracked (protocols/kameleoon.md
  /// 3.9, A8).
  /// - Parameter visitStart: when the current visit began.
  func isSettled(_ experimentID: Int64, variationID: Int64, isTracked: Bool, visitStart: Int64) -> Bool {
    guard let place = place(of: experimentID) else { return false }
    let entry = entries[place]
    return entry.variationID == variationID && (entry.isUnsent || !isTracked) && entry.time >= visitStart
  }

  /// Replaces the experiment's former assignment.
  mutating func set(_ assignment: Assignment) {
    if let place = place(of: assignment.experimentID) {
      entries[place] = assignment
      return
    }
    entries.append(assignment)
    if entries.count * 2 > slots.count { fillSlots() } else { note(entries.count - 1) }
  }

  /// An exposure has gone, or comes back. Unknown experiments are passed over.
  mutating func setUnsent(_ isUnsent: Bool, of experimentID: Int64) {
    if let place = place(of: experimentID) { entries[place].isUnsent = isUnsent }
  }

  /// Where there are more, half of `maximum` stay: of those with equal times the last ones.
  mutating func keepNewest(_ maximum: Int) {
    guard entries.count > maximum else { return }
    let times = entries.map(\.time).sorted()
    let first = times[times.count - max(1, maximum / 2)]
    var spare = max(1, maximum / 2) - times.count { $0 > first }
    var newest: [Assignment] = []
    for entry in entries.reversed() where entry.time >= first {
      if entry.time == first {
        if spare == 0 { continue }
        spare -= 1
      }
      newest.append(entry)
    }
    self = AssignmentTable(newest.reversed())
  }

  mutating func removeAll(where isGone: (Assignment) -> Bool) {
    guard entries.contains(where: isGone) else { return }
    self = AssignmentTable(entries.filter { !isGone($0) })
  }

  /// In `entries`.
  func place(of experimentID: Int64) -> Int? {
    if slots.isEmpty {
      for place in entries.indices where entries[place].experimentID == experimentID { return place }
      return nil
    }
    let mask = slots.count &- 1
    var slot = Self.hash(experimentID) & mask
    while true {
      let place = Int(slots[slot]) &- 1
      if place < 0 { return nil }
      if entries[place].experimentID == experimentID { return place }
      slot = (slot &+ 1) & mask
    }
  }

  private mutating func fillSlots() {
    guard entries.count > Self.maximumScanned else { return }
    var size = 32
    while size < entries.count * 4 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for place in entries.indices { note(place) }
  }

  private mutating func note(_ place: Int) {
    guard !slots.isEmpty else { return }
    let mask = slots.count &- 1
    var slot = Self.hash(entries[place].experimentID) & mask
    while slots[slot] != 0 { slot = (slot &+ 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: place &+ 1)
  }

  private static func hash(_ id: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }
}
