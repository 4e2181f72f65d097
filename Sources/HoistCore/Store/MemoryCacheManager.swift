public import HoistBase

/// The cache manager that keeps nothing beyond the process: for hosts that ask for no files.
///
/// Beyond `maximumEntries` the values written longest ago go, those of single persons before all others.
/// A forked child inherits the values, but no events: those are the parent's to send.
public final class MemoryCacheManager: CacheManager, @unchecked Sendable {
  private struct Held {
    var row: EventRow
    var owner: String
    var order: UInt64
  }

  private let clock: any Clock
  private let maximumEntries: Int
  private let lock = Lock()
  private var entries: [ByteKey: (value: [UInt8], order: UInt64)] = [:]
  private var events: [String: Held] = [:]
  /// Unix milliseconds; 0 when given back.
  private var leases: [String: Int64] = [:]
  private var leads: [ByteKey: LeadRecord] = [:]
  private var order: UInt64 = 0
  private var generation = ForkGeneration.current

  public init(clock: any Clock = SystemClock(), maximumEntries: Int = 10_000) {
    self.clock = clock
    self.maximumEntries = max(1, maximumEntries)
  }

  public func load(key: String) -> [UInt8]? { lock.withLock { entries[ByteKey(key)]?.value } }

  public func save(key: String, value: [UInt8]) { lock.withLock { set(ByteKey(key), value) } }

  public func remove(key: String) { lock.withLock { set(ByteKey(key), nil) } }

  public var replacesInOneStep: Bool { true }

  public func replace(key: String, expected: [UInt8]?, with value: [UInt8]?) -> CacheReplacement {
    lock.withLock {
      let known = entries[ByteKey(key)]?.value
      guard known == expected else { return .differs(known) }
      set(ByteKey(key), value)
      return .done
    }
  }

  public func append(key: String, to head: [UInt8], _ bytes: [UInt8]) -> Bool {
    lock.withLock {
      guard let known = entries[ByteKey(key)]?.value, known.starts(with: head) else { return false }
      set(ByteKey(key), known + bytes)
      return true
    }
  }

  public var canLead: Bool { true }

  public func lead(key: String, holder: String?, leaseMilliseconds: Int64) -> CacheLead {
    lock.withLock {
      let number = holder.flatMap {
        leads[ByteKey(key), default: LeadRecord()].take(
          $0, leaseMilliseconds: leaseMilliseconds, nowUnixMilliseconds: clock.unixMilliseconds)
      }
      return CacheLead(number: number, version: version(of: key))
    }
  }

  public func save(key: String, value: [UInt8], ledBy number: Int64) -> Int64? {
    lock.withLock {
      guard leads[ByteKey(key)]?.number == number else { return nil }
      set(ByteKey(key), value)
      return version(of: key)
    }
  }

  private func version(of key: String) -> Int64 { Int64(clamping: entries[ByteKey(key)]?.order ?? 0) }

  /// With `lock` held.
  private func set(_ key: ByteKey, _ value: [UInt8]?) {
    guard let value else {
      entries[key] = nil
      return
    }
    order += 1
    entries[key] = (value, order)
    guard entries.count > maximumEntries else { return }
    let others = entries.lazy.filter { $0.key != key }
    let first = others.min { Self.rank($0) < Self.rank($1) }
    if let first { entries[first.key] = nil }
  }

  /// The order of eviction: a person's entries before all others, oldest first.
  private static func rank(_ entry: (key: ByteKey, value: (value: [UInt8], order: UInt64))) -> (Int, UInt64) {
    (PersonKey.isOne(entry.key.text) ? 0 : 1, entry.value.order)
  }

  public func putEvents(_ rows: [EventRow], owner: EventOwner) {
    change {
      renew(owner)
      for row in rows {
        if let known = events[row.id] {
          if known.owner == owner.id { events[row.id]?.row = row }
        } else {
          order += 1
          events[row.id] = Held(row: row, owner: owner.id, order: order)
        }
      }
    }
  }

  public func claimEvents(pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner) -> [EventRow] {
    change {
      renew(owner)
      let free = events.values.filter { $0.row.pipeline == pipeline && $0.owner != owner.id && isFree($0.owner) }
      let oldest = free.sorted {
        ($0.row.createdUnixMilliseconds, $0.order) < ($1.row.createdUnixMilliseconds, $1.order)
      }
      var claimed: [EventRow] = []
      var room = maximumBytes
      for held in oldest.prefix(max(0, maximumRows)) {
        guard held.row.payload.count <= room else { break }
        room -= held.row.payload.count
        events[held.row.id]?.owner = owner.id
        claimed.append(held.row)
      }
      return claimed
    }
  }

  public func removeEvents(ids: [String], owner: EventOwner) {
    change { for id in ids where events[id]?.owner == owner.id { events[id] = nil } }
  }

  public func purgeEvents(subject: String, pipeline: String) {
    guard !subject.isEmpty else { return }
    change {
      events = events.filter { ByteKey($0.value.row.subject) != ByteKey(subject) || $0.value.row.pipeline != pipeline }
    }
  }

  public func renewLease(owner: EventOwner) { change { renew(owner) } }
  public var canGiveBackEvents: Bool { true }
  public func giveBackEvents(ids: [String], owner: EventOwner) {
    change { for id in ids where events[id]?.owner == owner.id { events[id]?.owner = "" } }
  }
  public func releaseEvents(owner: EventOwner) { change { leases[owner.id] = 0 } }
  public func close() {}

  private func change<Value>(_ body: () -> Value) -> Value {
    lock.withLock {
      if generation != ForkGeneration.current {
        generation = ForkGeneration.current
        events = [:]
        leases = [:]
      }
      return body()
    }
  }

  private func renew(_ owner: EventOwner) {
    let until = clock.unixMilliseconds.addingReportingOverflow(max(1, owner.leaseMilliseconds))
    leases[owner.id] = until.overflow ? .max : until.partialValue
  }

  private func isFree(_ owner: String) -> Bool {
    let lease = leases[owner] ?? 0
    guard lease != 0 else { return true }
    switch OwnerIdentity(text: owner)?.liveness ?? .unknown {
    case .dead: return true
    case .alive: return false
    case .unknown: return lease <= clock.unixMilliseconds
    }
  }
}
