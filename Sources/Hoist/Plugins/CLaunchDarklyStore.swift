public import CHoist
internal import HoistCore
internal import HoistLaunchDarkly

/// A host's store of rules.
final class CLaunchDarklyStore: HostAdapter<hoist_launchdarkly_store>, RulesStore, @unchecked Sendable {
  func initialize(_ items: [StoredItem]) -> StoreFailure? {
    guard let initialize = table.`init` else { return Self.missing("init") }
    let held = items.map { HeldItem($0) }
    let status = withExtendedLifetime(held) {
      held.map(\.table).withUnsafeBufferPointer { initialize(table.user_data, $0.baseAddress, $0.count) }
    }
    return Self.failure(status, "init")
  }

  func all(_ kind: StoredItem.Kind) -> Result<[FoundItem], StoreFailure> {
    guard let all = table.all else { return .failure(Self.missing("all")) }
    let sink = ItemSink()
    let status = Handle.lend(sink) { all(table.user_data, kind.rawValue, $0) }
    return Self.failure(status, "all").map { .failure($0) } ?? .success(sink.items)
  }

  func upsert(_ item: StoredItem) -> Result<FoundItem?, StoreFailure> {
    guard let upsert = table.upsert else { return .failure(Self.missing("upsert")) }
    let (sink, held) = (ItemSink(), HeldItem(item))
    let status = Handle.lend(sink) { sink in
      withExtendedLifetime(held) { withUnsafePointer(to: held.table) { upsert(table.user_data, $0, sink) } }
    }
    // It is named as what was to be kept: one item was asked about.
    if status == Status.state.rawValue { return .success(sink.items.first.map { FoundItem(key: item.key, json: $0.json) }) }
    return Self.failure(status, "upsert").map { .failure($0) } ?? .success(nil)
  }

  func isInitialized() -> Result<Bool, StoreFailure> {
    guard let initialized = table.initialized else { return .failure(Self.missing("initialized")) }
    var isInitialized = false
    let status = initialized(table.user_data, &isInitialized)
    return Self.failure(status, "initialized").map { .failure($0) } ?? .success(isInitialized)
  }

  private static func missing(_ member: String) -> StoreFailure { StoreFailure("its table has no \(member)") }

  private static func failure(_ status: hoist_status, _ member: String) -> StoreFailure? {
    status == Status.ok.rawValue ? nil : StoreFailure("its \(member) failed with status \(status)")
  }
}

/// An item's texts as C sees them.
private final class HeldItem {
  private let key: CText
  private let json: CText
  let table: hoist_launchdarkly_item

  init(_ item: StoredItem) {
    (key, json) = (CText(item.key), CText(item.json))
    table = hoist_launchdarkly_item(
      struct_size: MemoryLayout<hoist_launchdarkly_item>.size, kind: item.kind.rawValue, key: key.pointer, version: item.version,
      is_deleted: item.isDeleted, json: json.pointer, json_size: item.json.count)
  }
}

/// What a `hoist_launchdarkly_item_sink` handle points at, during one call.
final class ItemSink {
  private static let maximumBytes = 256 << 20
  private(set) var items: [FoundItem] = []
  private var bytes = 0

  func add(_ key: [UInt8], _ json: UnsafePointer<CChar>, _ size: Int) -> Status {
    guard size <= Self.maximumBytes - bytes, key.count <= Self.maximumBytes - bytes - size else { return .limit }
    bytes += key.count + size
    items.append(FoundItem(key: key, json: Array(UnsafeRawBufferPointer(start: json, count: size))))
    return .ok
  }
}

@_cdecl("hoist_launchdarkly_item_sink_add") @implementation
public func hoist_launchdarkly_item_sink_add(
  _ sink: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ json_size: Int
) -> hoist_status {
  guard let sink = Handle<ItemSink>.borrow(sink), let key = CString.array(key), let json, json_size >= 0 else {
    return Status.argument.rawValue
  }
  return sink.add(key, json, json_size).rawValue
}

@_cdecl("hoist_launchdarkly_config_set_store") @implementation
public func hoist_launchdarkly_config_set_store(
  _ config: OpaquePointer?, _ store: UnsafePointer<hoist_launchdarkly_store>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.add(config, store, error, "store of rules", LaunchDarklyStores.rules) { CLaunchDarklyStore($0) }
}

extension PluginSlot {
  /// Takes a table of a kind that a configuration has one of, unless it has that.
  fileprivate static func add<Table: FunctionTable>(
    _ config: OpaquePointer?, _ table: UnsafePointer<Table>?, _ error: UnsafeMutablePointer<OpaquePointer?>?, _ kind: String,
    _ slot: String, _ make: (Table) -> any Sendable
  ) -> hoist_status {
    take(config, table, error, kind, make) { box, adapter in
      try box.require("launchdarkly", "a \(kind)")
      guard box.plugins.vendor[slot] == nil else { throw Refusal(.state, "the configuration has a \(kind) already") }
      box.plugins.vendor[slot] = adapter
    }
  }
}

/// A host's store of big segments.
final class CLaunchDarklyBigSegments: HostAdapter<hoist_launchdarkly_big_segments>, BigSegmentStore, @unchecked Sendable {
  func lastUpToDate() -> Result<Int64?, StoreFailure> {
    guard let metadata = table.metadata else { return .failure(StoreFailure("its table has no metadata")) }
    var date: Int64 = 0
    let status = metadata(table.user_data, &date)
    return Self.answer(status, "metadata", date, none: nil)
  }

  func memberships(of hash: String) -> Result<[String: Bool], StoreFailure> {
    guard let memberships = table.memberships else { return .failure(StoreFailure("its table has no memberships")) }
    let sink = MembershipSink()
    let status = Handle.lend(sink) { sink in hash.withCString { memberships(table.user_data, $0, sink) } }
    return Self.answer(status, "memberships", sink.memberships, none: [:])
  }

  private static func answer<Answer>(
    _ status: hoist_status, _ member: String, _ found: Answer, none: Answer
  ) -> Result<Answer, StoreFailure> {
    switch Status(rawValue: status) {
    case .ok: .success(found)
    case .notFound: .success(none)
    default: .failure(StoreFailure("its \(member) failed with status \(status)"))
    }
  }
}

/// What a `hoist_launchdarkly_membership_sink` handle points at, during one call.
final class MembershipSink {
  private static let maximumCount = 1_000_000
  private(set) var memberships: [String: Bool] = [:]

  func add(_ reference: String, _ isIncluded: Bool) -> Status {
    guard memberships.count < Self.maximumCount || memberships[reference] != nil else { return .limit }
    memberships[reference] = isIncluded
    return .ok
  }
}

@_cdecl("hoist_launchdarkly_membership_sink_add") @implementation
public func hoist_launchdarkly_membership_sink_add(
  _ sink: OpaquePointer?, _ reference: UnsafePointer<CChar>?, _ is_included: Bool
) -> hoist_status {
  guard let sink = Handle<MembershipSink>.borrow(sink), let reference = CString.text(reference) else {
    return Status.argument.rawValue
  }
  return sink.add(reference, is_included).rawValue
}

@_cdecl("hoist_launchdarkly_config_set_big_segments") @implementation
public func hoist_launchdarkly_config_set_big_segments(
  _ config: OpaquePointer?, _ store: UnsafePointer<hoist_launchdarkly_big_segments>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.add(config, store, error, "store of big segments", LaunchDarklyStores.bigSegments) { CLaunchDarklyBigSegments($0) }
}
