public import CHoist
internal import HoistCore

/// A host's cache manager. What it hands back is checked like data from the network.
final class CCache: CacheManager, @unchecked Sendable {
  private let table: hoist_cache

  init(_ table: hoist_cache) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

  func load(key: String) throws(CacheFailure) -> [UInt8]? {
    guard let load = table.load else { return nil }
    let sink = BytesSink()
    let status = withExtendedLifetime(sink) {
      key.withCString { load(table.user_data, $0, OpaquePointer(Unmanaged.passUnretained(sink).toOpaque())) }
    }
    if status == Status.notFound.rawValue { return nil }
    try Self.check(status, "load")
    return sink.bytes
  }

  func save(key: String, value: [UInt8]) throws(CacheFailure) {
    guard let save = table.save else { return }
    try Self.check(
      key.withCString { key in value.withUnsafeBytes { save(table.user_data, key, $0.baseAddress, $0.count) } }, "save")
  }

  func remove(key: String) throws(CacheFailure) {
    guard let remove = table.remove else { return }
    try Self.check(key.withCString { remove(table.user_data, $0) }, "remove")
  }

  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    guard let put = table.put_events, !rows.isEmpty else { return }
    let status = HostRows.with(rows) { told in
      owner.id.withCString { owner_id in put(table.user_data, told, rows.count, owner_id, owner.leaseMilliseconds) }
    }
    try Self.check(status, "put_events")
  }

  func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    guard let claim = table.claim_events else { return [] }
    let sink = EventRowSink(pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes)
    let status = withExtendedLifetime(sink) {
      pipeline.withCString { name in
        owner.id.withCString { owner_id in
          claim(
            table.user_data, name, maximumRows, maximumBytes, owner_id, owner.leaseMilliseconds,
            OpaquePointer(Unmanaged.passUnretained(sink).toOpaque()))
        }
      }
    }
    try Self.check(status, "claim_events")
    return sink.rows
  }

  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard let remove = table.remove_events, !ids.isEmpty else { return }
    let texts = ids.map { CText($0) }
    let pointers = texts.map(\.pointer)
    let status = withExtendedLifetime(texts) {
      pointers.withUnsafeBufferPointer { list -> hoist_status in
        guard let start = list.baseAddress else { return Status.ok.rawValue }
        return owner.id.withCString { remove(table.user_data, start, list.count, $0) }
      }
    }
    try Self.check(status, "remove_events")
  }

  func purgeEvents(subject: String, pipeline: String) throws(CacheFailure) {
    guard let purge = table.purge_events else { return }
    try Self.check(
      subject.withCString { subject in pipeline.withCString { purge(table.user_data, subject, $0) } }, "purge_events")
  }

  func renewLease(owner: EventOwner) throws(CacheFailure) { try renew(owner, leaseMilliseconds: owner.leaseMilliseconds) }
  func releaseEvents(owner: EventOwner) throws(CacheFailure) { try renew(owner, leaseMilliseconds: 0) }

  private func renew(_ owner: EventOwner, leaseMilliseconds: Int64) throws(CacheFailure) {
    guard let renew = table.renew_lease else { return }
    try Self.check(owner.id.withCString { renew(table.user_data, $0, leaseMilliseconds) }, "renew_lease")
  }

  func close() {}

  private static func check(_ status: hoist_status, _ member: String) throws(CacheFailure) {
    guard status != Status.ok.rawValue else { return }
    throw CacheFailure("the cache plug-in's \(member) failed with status \(status)")
  }
}

/// Rows as C sees them, alive during `body`.
private enum HostRows {
  static func with(_ rows: [EventRow], _ body: (UnsafePointer<hoist_event_row>) -> hoist_status) -> hoist_status {
    let texts = rows.map { (id: CText($0.id), pipeline: CText($0.pipeline), subject: CText($0.subject), payload: CText($0.payload)) }
    let told = zip(rows, texts).map { row, text in
      hoist_event_row(
        struct_size: MemoryLayout<hoist_event_row>.size, id: text.id.pointer, pipeline: text.pipeline.pointer,
        subject: text.subject.pointer, created_at_unix_ms: row.createdUnixMilliseconds, payload: text.payload.pointer,
        payload_size: text.payload.count)
    }
    return withExtendedLifetime(texts) {
      told.withUnsafeBufferPointer { list in list.baseAddress.map(body) ?? Status.ok.rawValue }
    }
  }
}

/// What a `hoist_bytes_sink` handle points at, during one call.
final class BytesSink {
  static let maximumBytes = 64 << 20
  var bytes: [UInt8] = []
}

/// What a `hoist_event_sink` handle points at, during one call.
final class EventRowSink {
  let pipeline: String
  let maximumRows: Int
  let maximumBytes: Int
  var rows: [EventRow] = []
  private var bytes = 0

  init(pipeline: String, maximumRows: Int, maximumBytes: Int) {
    self.pipeline = pipeline
    self.maximumRows = maximumRows
    self.maximumBytes = maximumBytes
  }

  func add(_ row: EventRow) -> Status {
    guard row.pipeline.utf8.elementsEqual(pipeline.utf8) else { return .argument }
    guard rows.count < maximumRows, bytes + row.payload.count <= maximumBytes else { return .limit }
    bytes += row.payload.count
    rows.append(row)
    return .ok
  }
}

@_cdecl("hoist_config_set_cache") @implementation
public func hoist_config_set_cache(
  _ config: OpaquePointer?, _ cache: UnsafePointer<hoist_cache>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(config, cache, size: cache?.pointee.struct_size, zero: hoist_cache(), error, kind: "cache") {
    CCache($0)
  } store: {
    $0.plugins.cacheManager = $1
  }
}

@_cdecl("hoist_bytes_sink_write") @implementation
public func hoist_bytes_sink_write(_ sink: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int) -> hoist_status {
  guard let sink = Handle<BytesSink>.borrow(sink), size >= 0, bytes != nil || size == 0 else {
    return Status.argument.rawValue
  }
  guard size <= BytesSink.maximumBytes - sink.bytes.count else { return Status.limit.rawValue }
  sink.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size))
  return Status.ok.rawValue
}

@_cdecl("hoist_event_sink_add") @implementation
public func hoist_event_sink_add(_ sink: OpaquePointer?, _ row: UnsafePointer<hoist_event_row>?) -> hoist_status {
  guard let sink = Handle<EventRowSink>.borrow(sink), let row,
    let told = HostTable.read(row, size: row.pointee.struct_size, zero: hoist_event_row()),
    let id = CString.text(told.id), !id.isEmpty, let pipeline = CString.text(told.pipeline),
    let subject = CString.text(told.subject), told.payload_size >= 0, told.payload_size <= BytesSink.maximumBytes,
    told.payload != nil || told.payload_size == 0
  else { return Status.argument.rawValue }
  let payload = Array(UnsafeRawBufferPointer(start: told.payload, count: told.payload_size))
  return sink.add(
    EventRow(
      id: id, pipeline: pipeline, subject: subject, createdUnixMilliseconds: told.created_at_unix_ms, payload: payload)
  ).rawValue
}
