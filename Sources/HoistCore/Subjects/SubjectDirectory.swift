internal import HoistBase

/// The people whom a host holds, by weak handles, and whose records are in memory: of some without a handle, too,
/// so that they are found again as they were. Several may share one record. Thread-safe.
public final class SubjectDirectory<Handle: AnyObject & Sendable, Record: SubjectRecord, Note: Sendable>: Sendable {
  /// How a person was found.
  public struct Found: Sendable {
    public var handle: Handle
    public var record: Record
    /// Told when what is stored was taken over; nil when there is nothing to wait for.
    public var restored: Completion<Bool>?
    /// Whether what is stored has to be looked for.
    public var isNew = false
  }

  private struct Entry {
    weak var handle: Handle?
    var record: Record
    var restored: Completion<Bool>?
    var note: Note?
    /// Its place among those without a handle; 0 for none.
    var place: UInt64 = 0
  }

  private struct State {
    var entries: [[UInt8]: Entry] = [:]
    /// Those without a handle, in this order, among others that have another place by now, or none.
    private(set) var closed: [(id: [UInt8], place: UInt64)] = []
    private(set) var closedCount = 0
    private var lastPlace: UInt64 = 0
    /// Records that people were linked with; some may be one person's again.
    var linked: Set<ObjectIdentifier> = []

    /// Puts one behind the others.
    mutating func putLast(_ id: [UInt8]) {
      takeOut(id)
      lastPlace += 1
      entries[id]?.place = lastPlace
      closed.append((id, lastPlace))
      closedCount += 1
      if closed.count > 2 * closedCount + 64 { closed.removeAll { entries[$0.id]?.place != $0.place } }
    }

    mutating func takeOut(_ id: [UInt8]) {
      guard let place = entries[id]?.place, place > 0 else { return }
      entries[id]?.place = 0
      closedCount -= 1
    }

    /// Takes the first of them out.
    mutating func takeFirst(_ count: Int) -> [[UInt8]] {
      var (found, end) = ([[UInt8]](), 0)
      while end < closed.count, found.count < count {
        let (id, place) = closed[end]
        end += 1
        guard entries[id]?.place == place else { continue }
        takeOut(id)
        found.append(id)
      }
      closed.removeFirst(end)
      return found
    }

    /// Whether a record is others' too: it would be read a second time for them.
    mutating func isShared(_ record: Record, byOthersThan id: [UInt8]) -> Bool {
      guard linked.contains(ObjectIdentifier(record)) else { return false }
      if entries.contains(where: { $0.key != id && $0.value.record === record }) { return true }
      linked.remove(ObjectIdentifier(record))
      return false
    }
  }

  /// The most that are dropped for one that closes.
  private static var maximumDropped: Int { 16 }

  private final class Guarded: @unchecked Sendable {
    let lock = Lock()
    var state = State()
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }
  }

  private let maximumClosed: Int
  private let guarded = Guarded()

  /// - Parameter maximumClosed: people without a handle whose records stay.
  public init(maximumClosed: Int) { self.maximumClosed = maximumClosed }

  /// The person of that id: the handle that is open, or another one, of a record that is in memory, or new.
  /// - Parameter make: with what was noted of the id. Short, and calls no other code.
  public func open(_ id: [UInt8], record: () -> Record, make: (Record, Note?) -> Handle) -> Found {
    guarded.withLock { state in
      if let entry = state.entries[id] {
        let handle = entry.handle ?? make(entry.record, entry.note)
        state.entries[id]?.handle = handle
        if entry.place > 0 { state.takeOut(id) }
        return Found(handle: handle, record: entry.record, restored: entry.restored)
      }
      let entry = Entry(record: record(), restored: Completion<Bool>())
      let handle = make(entry.record, nil)
      state.entries[id] = entry
      state.entries[id]?.handle = handle
      return Found(handle: handle, record: entry.record, restored: entry.restored, isNew: true)
    }
  }

  /// nil without a handle.
  public func handle(of id: [UInt8]) -> Handle? { guarded.withLock { $0.entries[id]?.handle } }
  /// nil when it would have to be read.
  public func record(of id: [UInt8]) -> Record? { guarded.withLock { $0.entries[id]?.record } }
  /// Told when what is stored of a person was taken over; nil when there is nothing to wait for.
  public func restored(_ id: [UInt8]) -> Completion<Bool>? { guarded.withLock { $0.entries[id]?.restored } }
  /// How many there are, held or not.
  public var count: Int { guarded.withLock { $0.entries.count } }
  public var records: [Record] { guarded.withLock { $0.entries.values.map(\.record) } }
  public var handles: [Handle] { guarded.withLock { $0.entries.values.compactMap(\.handle) } }

  /// Whose record is of that kind.
  public func ids(where isWanted: (Record) -> Bool) -> [[UInt8]] {
    guarded.withLock { $0.entries.filter { isWanted($0.value.record) }.map(\.key) }
  }

  public func setNote(_ note: Note, of id: [UInt8]) { guarded.withLock { $0.entries[id]?.note = note } }

  // MARK: Those who share a record

  /// A record that was read for those who share it.
  /// - Returns: the one that is in memory.
  public func keep(_ record: Record, of id: [UInt8]) -> Record {
    guarded.withLock { state in
      if let known = state.entries[id]?.record { return known }
      state.entries[id] = Entry(record: record)
      state.putLast(id)
      return record
    }
  }

  /// The code of one visitor that shares it, if any. Linear in the number of visitors.
  public func id(sharing record: Record) -> [UInt8]? {
    guarded.withLock { $0.entries.first { $0.value.record === record }?.key }
  }

  /// - Returns: the handle of that id, when there is one, and what its record was before.
  public func link(_ id: [UInt8], to record: Record) -> (handle: Handle?, former: Record?) {
    guarded.withLock { state in
      let former = state.entries[id]
      state.linked.insert(ObjectIdentifier(record))
      state.entries[id] = Entry(
        handle: former?.handle, record: record, restored: former?.restored, note: former?.note, place: former?.place ?? 0)
      if former == nil { state.putLast(id) }
      return (former?.handle, former?.record)
    }
  }

  // MARK: Closing

  /// The last handle on that person is gone. The record stays for a while, and until it is in the store.
  /// - Parameter isKept: whether a record is the one that is stored under an id.
  public func closed(_ id: [UInt8], _ generation: UInt32, isKept: (Record, _ under: [UInt8]) -> Bool) {
    let dropped = guarded.withLock { state -> [Entry] in
      // One that is held again comes here when that is over.
      guard let entry = state.entries[id], entry.handle == nil else { return [] }
      state.putLast(id)
      var dropped: [Entry] = []
      for id in state.takeFirst(min(state.closedCount - maximumClosed, Self.maximumDropped)) {
        guard let entry = state.entries[id] else { continue }
        let isShared = isKept(entry.record, id) && state.isShared(entry.record, byOthersThan: id)
        if isShared || !entry.record.mark.isSettled(generation) {
          state.putLast(id)
        } else {
          // Let go of outside the lock.
          dropped.append(entry)
          state.entries[id] = nil
        }
      }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
