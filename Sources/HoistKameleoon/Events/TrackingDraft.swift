internal import HoistBase
internal import HoistCore

/// A tracking request before it is made: the visitors whose rows it takes, and what is recorded for it beside them
/// (4.4, 4.5). On the scheduler's thread.
struct TrackingDraft {
  /// What waits under one subject.
  fileprivate struct Pile {
    var admission: TrackingPolicy.Admission
    /// Bytes of data that may be sent and replace no other.
    var uniqueBytes = 0
    /// The rest by what only one of them can have: rows, what of them may be sent, and whether the last one links the
    /// visitor.
    var slots: [TrackingBody.Slot: (ids: [String], bytes: Int, isMapping: Bool)] = [:]
    /// Sizes of mappings by the code of the one visitor that they belong to.
    var ownMappings: [[UInt8]: Int] = [:]
  }

  private let tracker: Tracker
  private var chosen: [TrackingRecipient] = []
  private var piles: [[UInt8]: Pile] = [:]

  /// Visitors with something to send.
  private(set) var accepted: [TrackingRecipient] = []
  /// Visitors with nothing to send.
  private(set) var idle: [TrackingRecipient] = []
  /// Visitors that did not fit.
  private(set) var rest: [TrackingRecipient] = []

  init(_ recipients: [TrackingRecipient], _ tracker: Tracker) {
    self.tracker = tracker
    var places: [[UInt8]: Int] = [:]
    for recipient in recipients {
      let recipient = Self.refreshed(recipient, tracker)
      if let place = places[recipient.identity.code], chosen[place].isSame(as: recipient) {
        chosen[place].completions += recipient.completions
      } else {
        places[recipient.identity.code] = chosen.count
        chosen.append(recipient)
      }
    }
  }

  /// As it is now.
  private static func refreshed(_ recipient: TrackingRecipient, _ tracker: Tracker) -> TrackingRecipient {
    guard let visitor = recipient.visitor ?? tracker.visitors?.visitor(of: recipient.identity.code) else { return recipient }
    visitor.linkToItself()
    var new = TrackingRecipient(visitor)
    new.identify()
    new.completions = recipient.completions
    return new
  }

  mutating func prepare() {
    lookThroughRows()
    var total = 0
    var told: Set<[UInt8]> = []
    for (index, recipient) in chosen.enumerated() {
      guard total <= tracker.policy.bodyLimit else {
        rest = Array(chosen[index...])
        break
      }
      let bytes = take(recipient, isFirst: told.insert(recipient.identity.subject).inserted)
      total += bytes
      if bytes > 0 { accepted.append(recipient) } else { idle.append(recipient) }
    }
    for recipient in rest { _ = recipient.visitor?.trackingMark.set() }
  }

  /// The waiting rows of the chosen visitors. Withdrawn ones are removed, and so are unsent activities, which are of no
  /// use any more.
  private mutating func lookThroughRows() {
    for recipient in chosen {
      let admission = tracker.policy.admission(of: recipient)
      for subject in recipient.subjects {
        piles[subject] = Pile(admission: max(piles[subject]?.admission ?? admission, admission))
      }
    }
    var outdated: Set<String> = []
    var broken = 0
    tracker.pipeline.forEachWaiting { row in
      let subject = Array(row.subject.utf8)
      guard piles[subject] != nil else { return }
      guard let read = TrackedRow(row.payload) else {
        broken += 1
        outdated.insert(row.id)
        return
      }
      if read.kind == .activity {
        outdated.insert(row.id)
      } else {
        outdated.formUnion(piles[subject]?.add(read, row, tracker.policy) ?? [])
      }
    }
    if broken > 0 { tracker.host.log.warning("events: \(broken) records of \"tracking\" are dropped: they cannot be read") }
    if !outdated.isEmpty { tracker.pipeline.discard { outdated.contains($0.id) } }
  }

  /// - Returns: the size of its part of the request.
  private func take(_ recipient: TrackingRecipient, isFirst: Bool) -> Int {
    let identity = recipient.identity
    let own = piles[identity.subject]?.ownMappings[identity.code]
    let shared = isFirst ? recipient.subjects.compactMap { piles[$0] } : []
    var bytes = isFirst ? shared.reduce(0) { $0 + $1.bytes } : own ?? 0
    guard let visitor = recipient.visitor, visitor.hasConsentToTrack else { return bytes }
    let isMapped = own != nil || shared.contains { $0.slots.values.contains(where: \.isMapping) }
    if !isMapped, let datum = visitor.mappingDatum { bytes += add(datum, of: identity) }
    return bytes > 0 ? bytes : add(.activity, of: identity)
  }

  /// For this request.
  private func add(_ datum: TrackedDatum, of identity: TrackingIdentity) -> Int {
    tracker.record(datum, of: identity, hasConsent: true, isOwn: true)
    return datum.line.count
  }
}

extension TrackingDraft.Pile {
  /// - Returns: rows that are not to be sent after all.
  fileprivate mutating func add(_ read: TrackedRow, _ row: EventRow, _ policy: TrackingPolicy) -> [String] {
    let size = policy.isAllowed(row.payload, admission) ? row.payload.count : 0
    if read.bits.contains(.own) {
      ownMappings[read.code, default: 0] += size
    } else if let slot = read.slot {
      let former = slots.removeValue(forKey: slot) ?? ([], 0, false)
      if read.isWithdrawal { return former.ids + [row.id] }
      slots[slot] = (former.ids + [row.id], former.bytes + size, read.bits.contains(.mapping))
    } else {
      uniqueBytes += size
    }
    return []
  }

  fileprivate var bytes: Int {
    uniqueBytes + slots.values.reduce(0) { $0 + $1.bytes } + ownMappings.values.reduce(0, +)
  }
}
