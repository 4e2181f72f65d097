internal import HoistBase
internal import HoistJSON

/// What a host can read of a client's work.
extension Client {
  /// A JSON object of groups, each an object of counters.
  public func statisticsJSON() -> [UInt8] {
    var groups: [(name: String, counters: [(String, Int64)])] = []
    func add(_ group: String, _ name: String, _ value: Int64) {
      if let at = groups.firstIndex(where: { $0.name == group }) {
        groups[at].counters.append((name, value))
      } else {
        groups.append((group, [(name, value)]))
      }
    }
    for counter in (provider?.statistics ?? []) + forwarding.statistics { add(counter.group, counter.name, counter.value) }
    for counter in store.statistics { add("store", counter.name, counter.value) }
    let (deliveries, waiting, dropped) = callbacks.counters
    add("observers", "delivered", Int64(deliveries.finished))
    add("observers", "dropped", Int64(deliveries.dropped) + dropped)
    add("observers", "waiting", Int64(deliveries.waiting + waiting))
    let asked = pluginLane.counters
    add("plugins", "answered", Int64(asked.finished))
    add("plugins", "expired", Int64(asked.expired))
    add("plugins", "set_aside", Int64(asked.setAside))
    add("plugins", "late", Int64(asked.late))
    add("evaluations", "too_costly", costlyFlags.withLock { $0.count })
    add("snapshots", "waiting", Int64(holder.waiting))
    add("snapshots", "counts_lost", holder.lostCounts)
    return Self.json(groups)
  }

  private static func json(_ groups: [(name: String, counters: [(String, Int64)])]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for group in groups {
      writer.key(group.name)
      writer.beginObject()
      for (name, value) in group.counters {
        writer.key(name)
        writer.int(value)
      }
      writer.endObject()
    }
    writer.endObject()
    return writer.bytes
  }
}
