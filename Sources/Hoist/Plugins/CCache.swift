public import CHoist
internal import HoistBase
internal import HoistCore

/// A host's cache manager. What it hands back is checked like data from the network.
final class CCache: HostAdapter<hoist_cache>, CacheManager, @unchecked Sendable {
  private let listeners = CacheListeners()

  deinit { listeners.end() }

  func load(key: String) throws(CacheFailure) -> [UInt8]? {
    guard let load = table.load else { return nil }
    let sink = BytesSink()
    let status = Handle.lend(sink) { sink in key.withCString { load(table.user_data, $0, sink) } }
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

  var replacesInOneStep: Bool { table.replace != nil }
  var isReachedByOthers: Bool { true }

  func replace(key: String, expected: [UInt8]?, with value: [UInt8]?) throws(CacheFailure) -> CacheReplacement {
    guard table.replace != nil else {
      // Two configurations may have been given the same table.
      let name = UInt(bitPattern: table.user_data)
      return try ReplacementQueue.replace(in: self, named: name, key: key, expected, with: value)
    }
    return try replacement(key, expected, value, forMilliseconds: 0)
  }

  func replace(
    key: String, expected: [UInt8]?, with value: [UInt8]?, forMilliseconds lifetime: Int64
  ) throws(CacheFailure) -> CacheReplacement {
    guard table.replace_for != nil else { return try replace(key: key, expected: expected, with: value) }
    return try replacement(key, expected, value, forMilliseconds: lifetime)
  }

  /// - Parameter lifetime: 0 for ever.
  @inline(never)
  private func replacement(
    _ key: String, _ expected: [UInt8]?, _ value: [UInt8]?, forMilliseconds lifetime: Int64
  ) throws(CacheFailure) -> CacheReplacement {
    let (sink, table) = (BytesSink(), table)
    let status = Handle.lend(sink) { found in
      key.withCString { key in
        HostBytes.with(expected) { expected, size in
          HostBytes.with(value) { value, valueSize in
            let status =
              lifetime > 0
              ? table.replace_for?(table.user_data, key, expected, size, value, valueSize, lifetime, found)
              : table.replace?(table.user_data, key, expected, size, value, valueSize, found)
            return status ?? Status.unsupported.rawValue
          }
        }
      }
    }
    if status == Status.state.rawValue { return .differs(sink.bytes) }
    if status == Status.notFound.rawValue { return .differs(nil) }
    try Self.check(status, lifetime > 0 ? "replace_for" : "replace")
    return .done
  }

  func append(key: String, to head: [UInt8], _ bytes: [UInt8]) throws(CacheFailure) -> Bool {
    guard let append = table.append else { return false }
    let status = key.withCString { key in
      HostBytes.with(head) { head, headSize in
        HostBytes.with(bytes) { append(table.user_data, key, head, headSize, $0, $1) }
      }
    }
    if status == Status.state.rawValue || status == Status.notFound.rawValue { return false }
    try Self.check(status, "append")
    return true
  }

  var canLead: Bool { table.lead != nil && table.save_led != nil }

  func lead(key: String, holder: String?, leaseMilliseconds: Int64) throws(CacheFailure) -> CacheLead {
    guard let lead = table.lead else { throw CacheFailure("the cache plug-in has no lead") }
    let holder = holder.map { CText($0) }
    var (number, version): (Int64, Int64) = (0, 0)
    let status = withExtendedLifetime(holder) {
      key.withCString { lead(table.user_data, $0, holder?.pointer, leaseMilliseconds, &number, &version) }
    }
    try Self.check(status, "lead")
    return CacheLead(number: number > 0 ? number : nil, version: version)
  }

  func save(key: String, value: [UInt8], ledBy number: Int64) throws(CacheFailure) -> Int64? {
    guard let save = table.save_led else { throw CacheFailure("the cache plug-in has no save_led") }
    var version: Int64 = 0
    let status = key.withCString { key in
      HostBytes.with(value) { save(table.user_data, key, $0, $1, number, &version) }
    }
    if status == Status.state.rawValue { return nil }
    try Self.check(status, "save_led")
    return version
  }

  var hasNews: Bool { table.announce != nil && table.listen != nil }

  func announce(key: String) throws(CacheFailure) {
    if let announce = table.announce { try Self.check(key.withCString { announce(table.user_data, $0) }, "announce") }
  }

  func listen(_ news: CacheNews) throws(CacheFailure) { try settleListening(listeners.add(news)) }
  func endListening(_ news: CacheNews) { try? settleListening(listeners.remove(news)) }

  private func settleListening(_ first: CacheListeners.Call?) throws(CacheFailure) {
    guard let listen = table.listen else { return }
    var (next, status) = (first, Status.ok.rawValue)
    while let call = next {
      status = listen(table.user_data, call.handle)
      next = listeners.ended(call, isDone: status == Status.ok.rawValue)
    }
    try Self.check(status, "listen")
  }

  func putEvents(_ rows: [EventRow], owner: EventOwner) throws(CacheFailure) {
    guard let put = table.put_events, !rows.isEmpty else { return }
    let status = HostRows.with(rows) { told, count in
      owner.id.withCString { owner_id in
        told.map { put(table.user_data, $0, count, owner_id, owner.leaseMilliseconds) } ?? Status.ok.rawValue
      }
    }
    try Self.check(status, "put_events")
  }

  func claimEvents(
    pipeline: String, maximumRows: Int, maximumBytes: Int, owner: EventOwner
  ) throws(CacheFailure) -> [EventRow] {
    guard let claim = table.claim_events else { return [] }
    let sink = EventRowSink(pipeline: pipeline, maximumRows: maximumRows, maximumBytes: maximumBytes)
    let status = Handle.lend(sink) { sink in
      pipeline.withCString { name in
        owner.id.withCString { owner_id in
          claim(table.user_data, name, maximumRows, maximumBytes, owner_id, owner.leaseMilliseconds, sink)
        }
      }
    }
    try Self.check(status, "claim_events")
    return sink.rows
  }

  func removeEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard let remove = table.remove_events, !ids.isEmpty else { return }
    let status = HostTexts.with(ids) { list, count in
      owner.id.withCString { remove(table.user_data, list, count, $0) }
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

  var canGiveBackEvents: Bool { table.put_events != nil && table.give_back_events != nil }

  func giveBackEvents(ids: [String], owner: EventOwner) throws(CacheFailure) {
    guard let giveBack = table.give_back_events, !ids.isEmpty else { return }
    let status = HostTexts.with(ids) { list, count in
      owner.id.withCString { giveBack(table.user_data, list, count, $0) }
    }
    try Self.check(status, "give_back_events")
  }

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

/// Bytes as C sees them, alive during `body`: NULL for none, never for an empty value.
private enum HostBytes {
  static func with<Result>(_ bytes: [UInt8]?, _ body: (UnsafeRawPointer?, Int) -> Result) -> Result {
    guard let bytes else { return body(nil, 0) }
    // The place behind an empty array may be NULL.
    if bytes.isEmpty { return withUnsafeBytes(of: UInt8(0)) { body($0.baseAddress, 0) } }
    return bytes.withUnsafeBytes { body($0.baseAddress, $0.count) }
  }
}

/// Texts as C sees them, alive during `body`.
enum HostTexts {
  /// - Parameter texts: one at least.
  static func with(
    _ texts: [some ByteSource], _ body: (UnsafePointer<UnsafePointer<CChar>>, Int) -> hoist_status
  ) -> hoist_status {
    let texts = texts.map { CText($0) }
    return withExtendedLifetime(texts) {
      texts.map(\.pointer).withUnsafeBufferPointer { list in
        list.baseAddress.map { body($0, list.count) } ?? Status.ok.rawValue
      }
    }
  }
}

/// Rows as C sees them, alive during `body`.
enum HostRows {
  static func with(_ rows: [EventRow], _ body: (UnsafePointer<hoist_event_row>?, Int) -> hoist_status) -> hoist_status {
    let texts = rows.map {
      (id: CText($0.id), pipeline: CText($0.pipeline), subject: CText($0.subject), payload: CText($0.payload))
    }
    let told = zip(rows, texts).map { row, text in
      hoist_event_row(
        struct_size: MemoryLayout<hoist_event_row>.size, id: text.id.pointer, pipeline: text.pipeline.pointer,
        subject: text.subject.pointer, created_at_unix_ms: row.createdUnixMilliseconds, payload: text.payload.pointer,
        payload_size: text.payload.count)
    }
    return withExtendedLifetime(texts) { told.withUnsafeBufferPointer { body($0.baseAddress, $0.count) } }
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
  PluginSlot.set(config, cache, error, "cache", \.cacheManager) { CCache($0) }
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
  guard let sink = Handle<EventRowSink>.borrow(sink), let told = HostTable.read(row),
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
