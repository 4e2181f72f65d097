public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_migration_variation") @implementation
public func hoist_launchdarkly_migration_variation(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ default_stage: hoist_launchdarkly_migration_stage,
  _ tracker: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_launchdarkly_migration_stage {
  tracker?.pointee = nil
  let fallback = MigrationStage(default_stage)
  guard let face = try? LaunchDarklyServerFace.need(client) else { return (fallback ?? .off).constant }
  let made = face.migration(key.map { CString.bytes($0) }, ContextHandle.borrow(context), fallback: fallback)
  tracker?.pointee = Handle.give(made)
  return made.stage.constant
}

@_cdecl("hoist_launchdarkly_migration_tracker_begin") @implementation
public func hoist_launchdarkly_migration_tracker_begin(
  _ tracker: OpaquePointer?, _ operation: hoist_launchdarkly_migration_operation
) -> hoist_status {
  note(tracker, MigrationKind(operation)) { $0.begin($1) }
}

@_cdecl("hoist_launchdarkly_migration_tracker_invoked") @implementation
public func hoist_launchdarkly_migration_tracker_invoked(
  _ tracker: OpaquePointer?, _ origin: hoist_launchdarkly_migration_origin
) -> hoist_status {
  note(tracker, MigrationOrigin(origin)) { $0.invoked($1) }
}

@_cdecl("hoist_launchdarkly_migration_tracker_failed") @implementation
public func hoist_launchdarkly_migration_tracker_failed(
  _ tracker: OpaquePointer?, _ origin: hoist_launchdarkly_migration_origin
) -> hoist_status {
  note(tracker, MigrationOrigin(origin)) { $0.failed($1) }
}

@_cdecl("hoist_launchdarkly_migration_tracker_took") @implementation
public func hoist_launchdarkly_migration_tracker_took(
  _ tracker: OpaquePointer?, _ origin: hoist_launchdarkly_migration_origin, _ latency_ms: Double
) -> hoist_status {
  guard latency_ms.isFinite, latency_ms >= 0 else { return Status.argument.rawValue }
  return note(tracker, MigrationOrigin(origin)) { $0.took($1, milliseconds: latency_ms) }
}

@_cdecl("hoist_launchdarkly_migration_tracker_check") @implementation
public func hoist_launchdarkly_migration_tracker_check(
  _ tracker: OpaquePointer?, _ compare: hoist_launchdarkly_migration_compare?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  note(tracker, compare) { tracker, compare in tracker.check { compare(user_data) } }
}

@_cdecl("hoist_launchdarkly_migration_track") @implementation
public func hoist_launchdarkly_migration_track(_ client: OpaquePointer?, _ tracker: OpaquePointer?) -> hoist_status {
  answer { try LaunchDarklyServerFace.need(client).track(try Handle<MigrationTracker>.need(tracker, "tracker")) }
}

@_cdecl("hoist_launchdarkly_migration_tracker_free") @implementation
public func hoist_launchdarkly_migration_tracker_free(_ tracker: OpaquePointer?) { Handle<MigrationTracker>.take(tracker) }

@_cdecl("hoist_launchdarkly_migrator_read") @implementation
public func hoist_launchdarkly_migrator_read(
  _ client: OpaquePointer?, _ migrator: UnsafePointer<hoist_launchdarkly_migrator>?, _ key: UnsafePointer<CChar>?,
  _ context: OpaquePointer?, _ default_stage: hoist_launchdarkly_migration_stage, _ payload: UnsafeMutableRawPointer?,
  _ result: UnsafeMutablePointer<hoist_launchdarkly_migration_result>?
) -> hoist_status {
  migrate(client, migrator, key, context, default_stage, payload, result, \.read_old, \.read_new) { run in
    guard let order = MigrationOrder(rawValue: run.table.read_order) else {
      throw Refusal(.argument, "the migrator's read_order is none")
    }
    let compare = run.table.is_consistent.map { call in { call(run.table.user_data, run[.old], run[.new]) } }
    return { $0.read(order, compare: compare) }
  }
}

@_cdecl("hoist_launchdarkly_migrator_write") @implementation
public func hoist_launchdarkly_migrator_write(
  _ client: OpaquePointer?, _ migrator: UnsafePointer<hoist_launchdarkly_migrator>?, _ key: UnsafePointer<CChar>?,
  _ context: OpaquePointer?, _ default_stage: hoist_launchdarkly_migration_stage, _ payload: UnsafeMutableRawPointer?,
  _ result: UnsafeMutablePointer<hoist_launchdarkly_migration_result>?
) -> hoist_status {
  migrate(client, migrator, key, context, default_stage, payload, result, \.write_old, \.write_new) { _ in
    { $0.write() }
  }
}

/// The host's function for one system.
private typealias Work =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Bool

/// One operation, with what the host's functions leave.
private final class Run: @unchecked Sendable {
  let table: hoist_launchdarkly_migrator
  private let old: Work
  private let new: Work
  private let payload: UnsafeMutableRawPointer?
  private let values = LockedValue<[MigrationOrigin: UserData]>([:])

  init(_ table: hoist_launchdarkly_migrator, _ old: Work, _ new: Work, _ payload: UnsafeMutableRawPointer?) {
    (self.table, self.old, self.new, self.payload) = (table, old, new, payload)
  }

  func work(_ origin: MigrationOrigin) -> Bool {
    var value: UnsafeMutableRawPointer?
    let hasSucceeded = (origin == .old ? old : new)(table.user_data, payload, &value)
    let left = UserData(value)
    values.withLock { $0[origin] = left }
    return hasSucceeded
  }

  subscript(origin: MigrationOrigin) -> UnsafeMutableRawPointer? { values.withLock { $0[origin]?.pointer } }
}

/// - Parameter plan: says what is done, before anything is.
private func migrate(
  _ client: OpaquePointer?, _ migrator: UnsafePointer<hoist_launchdarkly_migrator>?, _ key: UnsafePointer<CChar>?,
  _ context: OpaquePointer?, _ fallback: hoist_launchdarkly_migration_stage, _ payload: UnsafeMutableRawPointer?,
  _ result: UnsafeMutablePointer<hoist_launchdarkly_migration_result>?, _ old: KeyPath<hoist_launchdarkly_migrator, Work?>,
  _ new: KeyPath<hoist_launchdarkly_migrator, Work?>,
  _ plan: (Run) throws -> (Migrator) -> Migrator.Outcome
) -> hoist_status {
  answer {
    let face = try LaunchDarklyServerFace.need(client)
    guard let key = CString.view(key) else { throw Refusal(.argument, "key is NULL or not UTF-8") }
    guard let table = HostTable.read(migrator), let old = table[keyPath: old], let new = table[keyPath: new] else {
      throw Refusal(.argument, "the migrator's table is none, or lacks a function")
    }
    guard let result else { throw Refusal(.argument, "result is NULL") }
    var filled = hoist_launchdarkly_migration_result()
    filled.struct_size = HostTable.size(of: result)
    guard HostTable.write(filled, to: result, size: filled.struct_size) else {
      throw Refusal(.argument, "the result's struct_size is none")
    }
    let run = Run(table, old, new, payload)
    let carryOut = try plan(run)
    let tracker = face.migration(key, ContextHandle.borrow(context), fallback: MigrationStage(fallback))
    let outcome = carryOut(face.migrator(tracker, MigrationMeasures(rawValue: table.measurements)) { run.work($0) })
    // What was done counts, whatever becomes of its event.
    _ = face.track(tracker)
    filled.stage = tracker.stage.constant
    filled.authoritative = outcome.authoritative.constant
    filled.was_invoked = (outcome.succeeded[.old] != nil, outcome.succeeded[.new] != nil)
    filled.has_succeeded = (outcome.succeeded[.old] ?? false, outcome.succeeded[.new] ?? false)
    filled.value = (run[.old], run[.new])
    return HostTable.write(filled, to: result, size: filled.struct_size) ? .ok : .argument
  }
}

/// - Parameter what: nil for what is none.
private func note<What>(_ tracker: OpaquePointer?, _ what: What?, _ body: (MigrationTracker, What) -> Void) -> hoist_status {
  guard let tracker = Handle<MigrationTracker>.borrow(tracker), let what else { return Status.argument.rawValue }
  body(tracker, what)
  return Status.ok.rawValue
}

extension MigrationStage {
  fileprivate init?(_ constant: hoist_launchdarkly_migration_stage) {
    guard Self.allCases.indices.contains(Int(constant)) else { return nil }
    self = Self.allCases[Int(constant)]
  }

  fileprivate var constant: hoist_launchdarkly_migration_stage { Int32(Self.allCases.firstIndex(of: self) ?? 0) }
}

extension MigrationKind {
  fileprivate init?(_ constant: hoist_launchdarkly_migration_operation) {
    switch Int(constant) {
    case Int(HOIST_LAUNCHDARKLY_MIGRATION_READ): self = .read
    case Int(HOIST_LAUNCHDARKLY_MIGRATION_WRITE): self = .write
    default: return nil
    }
  }
}

extension MigrationOrigin {
  fileprivate init?(_ constant: hoist_launchdarkly_migration_origin) {
    switch Int(constant) {
    case Int(HOIST_LAUNCHDARKLY_MIGRATION_OLD): self = .old
    case Int(HOIST_LAUNCHDARKLY_MIGRATION_NEW): self = .new
    default: return nil
    }
  }

  fileprivate var constant: hoist_launchdarkly_migration_origin {
    hoist_launchdarkly_migration_origin(self == .old ? HOIST_LAUNCHDARKLY_MIGRATION_OLD : HOIST_LAUNCHDARKLY_MIGRATION_NEW)
  }
}
