internal import HoistBase
internal import HoistCore

/// Which visitors are open, and whose data is in memory. Thread-safe.
final class VisitorPlaces: @unchecked Sendable {
  private struct Place {
    weak var visitor: KameleoonVisitor?
    var data: VisitorData
    /// Told when what an earlier run has left was taken over; nil when there is nothing to wait for.
    var restored: Answer<Bool>?
    /// What was said of the code; nil for nothing.
    var isUnique: Bool?
  }

  private let lock = Lock()
  private var places: [[UInt8]: Place] = [:]
  /// So many at most make room for one that closes.
  private static let maximumDropped = 16

  /// Who is not open any more, in this order; some may be open again.
  private var closed: [[UInt8]] = []
  /// Data that visitors were linked with; some of it may be one visitor's again.
  private var linked: Set<ObjectIdentifier> = []

  /// How a visitor was found.
  struct Found {
    var visitor: KameleoonVisitor
    var restored: Answer<Bool>?
    /// Whether what an earlier run has left has to be looked for.
    var isNew = false
  }

  /// The visitor of that code: the one that is open, or another one, of data that is in memory, or new.
  /// - Parameter make: with what was said of the code's uniqueness.
  func open(_ code: [UInt8], data: () -> VisitorData, make: (VisitorData, Bool?) -> KameleoonVisitor) -> Found {
    let found = lock.withLock { () -> Found in
      if let place = places[code] {
        // Not let go of before the lock is.
        if let visitor = place.visitor { return Found(visitor: visitor, restored: place.restored) }
        let visitor = make(place.data, place.isUnique)
        places[code]?.visitor = visitor
        return Found(visitor: visitor, restored: place.restored)
      }
      let data = data()
      let visitor = make(data, nil)
      let restored = Answer<Bool>()
      places[code] = Place(visitor: visitor, data: data, restored: restored)
      return Found(visitor: visitor, restored: restored, isNew: true)
    }
    found.visitor.data.join(found.visitor)
    return found
  }

  /// nil when it is not open.
  func openVisitor(_ code: [UInt8]) -> KameleoonVisitor? { lock.withLock { places[code]?.visitor } }

  /// Told when what an earlier run has left of a visitor was taken over; nil when there is nothing to wait for.
  func restored(_ code: [UInt8]) -> Answer<Bool>? { lock.withLock { places[code]?.restored } }

  /// How many there are, open or not.
  var count: Int { lock.withLock { places.count } }

  var openVisitors: [KameleoonVisitor] { lock.withLock { places.values.compactMap(\.visitor) } }

  /// Whose data is to be shared; nil when it has to be read first.
  func data(of code: [UInt8]) -> VisitorData? { lock.withLock { places[code]?.data } }

  /// Whose data is of that kind.
  func codes(where isWanted: (VisitorData) -> Bool) -> [[UInt8]] {
    lock.withLock {
      var codes: [[UInt8]] = []
      for (code, place) in places where isWanted(place.data) { codes.append(code) }
      return codes
    }
  }

  func setUnique(_ isUnique: Bool, _ code: [UInt8]) { lock.withLock { places[code]?.isUnique = isUnique } }

  /// Data that was read for those who share it.
  func keep(_ data: VisitorData, of code: [UInt8]) -> VisitorData {
    lock.withLock {
      if let known = places[code]?.data { return known }
      places[code] = Place(data: data)
      closed.append(code)
      return data
    }
  }

  /// One of those who share it; nil for nobody. Looks through all.
  func code(sharing data: VisitorData) -> [UInt8]? { lock.withLock { places.first { $0.value.data === data }?.key } }

  /// - Returns: who has that code, when it is open, and what its data was before.
  func link(_ code: [UInt8], to data: VisitorData) -> (visitor: KameleoonVisitor?, former: VisitorData?) {
    lock.withLock {
      let former = places[code]
      linked.insert(ObjectIdentifier(data))
      places[code] = Place(visitor: former?.visitor, data: data, restored: former?.restored, isUnique: former?.isUnique)
      if former == nil { closed.append(code) }
      return (former?.visitor, former?.data)
    }
  }

  /// With `lock` held. Whether data that is kept under a code is others' too: it would be read a second time for it.
  private func isShared(_ data: VisitorData, byOthersThan code: [UInt8]) -> Bool {
    guard linked.contains(ObjectIdentifier(data)), data.code == code else { return false }
    if places.contains(where: { $0.key != code && $0.value.data === data }) { return true }
    linked.remove(ObjectIdentifier(data))
    return false
  }

  /// Nobody holds that visitor any more. Its data stays for a while.
  /// - Parameter isWaiting: whether it is not in the store yet.
  func closed(_ code: [UInt8], isWaiting: (VisitorData) -> Bool) {
    let dropped = lock.withLock { () -> [Place] in
      closed.append(code)
      guard closed.count > VisitorLimits.closedVisitors else { return [] }
      var (dropped, unwritten): ([Place], [[UInt8]]) = ([], [])
      let oldest = closed.prefix(min(closed.count - VisitorLimits.closedVisitors, Self.maximumDropped))
      for code in oldest {
        // One that is open again comes back here when it closes.
        guard let place = places[code], place.visitor == nil else { continue }
        if isWaiting(place.data) || isShared(place.data, byOthersThan: code) {
          unwritten.append(code)
        } else {
          // Let go of outside the lock.
          dropped.append(place)
          places[code] = nil
        }
      }
      closed.removeFirst(oldest.count)
      closed += unwritten
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
