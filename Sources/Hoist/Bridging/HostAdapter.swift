internal import CHoist

/// A table of a host's functions, of any kind.
protocol FunctionTable {
  var user_data: UnsafeMutableRawPointer? { get }
  var release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? { get }
}

/// What stands for a host's table. `release` runs when the last one who uses it lets go of it.
class HostAdapter<Table: FunctionTable>: @unchecked Sendable {
  let table: Table

  required init(_ table: Table) { self.table = table }

  /// nil for NULL, and for what is no such table, which is released then.
  convenience init?(reading table: UnsafePointer<Table>?) {
    guard let copy = HostTable.take(table) else { return nil }
    self.init(copy)
  }

  deinit { HostRelease.run(table.release, table.user_data) }
}

extension hoist_cache: FunctionTable {}
extension hoist_dispatcher: FunctionTable {}
extension hoist_flagship_hit_cache: FunctionTable {}
extension hoist_flagship_observer: FunctionTable {}
extension hoist_flagship_visitor_cache: FunctionTable {}
extension hoist_flagship_visitor_options: FunctionTable {}
extension hoist_header_provider: FunctionTable {}
extension hoist_hook: FunctionTable {}
extension hoist_kameleoon_observer: FunctionTable {}
extension hoist_launchdarkly_big_segments: FunctionTable {}
extension hoist_launchdarkly_client_plugin: FunctionTable {}
extension hoist_launchdarkly_hook: FunctionTable {}
extension hoist_launchdarkly_observer: FunctionTable {}
extension hoist_launchdarkly_store: FunctionTable {}
extension hoist_logger: FunctionTable {}
extension hoist_observer: FunctionTable {}
extension hoist_optimizely_observer: FunctionTable {}
extension hoist_optimizely_odp_manager: FunctionTable {}
extension hoist_optimizely_profile_service: FunctionTable {}
extension hoist_provider: FunctionTable {}
extension hoist_transport: FunctionTable {}
extension hoist_unleash_storage: FunctionTable {}
extension hoist_unleash_strategy: FunctionTable {}
