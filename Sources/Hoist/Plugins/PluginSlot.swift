internal import CHoist
internal import HoistCore

/// Adds a host's table to a configuration, the same way for every kind.
enum PluginSlot {
  /// - Parameters:
  ///   - make: builds the adapter, which owns `user_data` from then on. Runs before anything else is checked, so that
  ///     `release` runs whatever happens.
  ///   - store: puts it into the configuration, or says why it cannot be there.
  static func take<Table: FunctionTable, Adapter>(
    _ config: OpaquePointer?, _ table: UnsafePointer<Table>?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
    _ kind: String, _ make: (Table) -> Adapter, _ store: (ConfigBox, Adapter) throws -> Void
  ) -> hoist_status {
    attempt(error) {
      guard let table else { throw Refusal(.argument, "the \(kind) table is NULL") }
      guard let copy = HostTable.take(table) else {
        let size = HostTable.size(of: table)
        throw Refusal(.argument, "struct_size of the \(kind) table is \(size), which is no size of such a table")
      }
      let adapter = make(copy)
      try store(try Handle<ConfigBox>.need(config, "config"), adapter)
    }
  }

  /// Takes a table of a kind that a configuration has one of, in place of what it had.
  /// - Parameter service: the only one that has such plug-ins; nil for a kind that all have.
  static func set<Table: FunctionTable, Slot>(
    _ config: OpaquePointer?, _ table: UnsafePointer<Table>?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
    _ kind: String, _ slot: WritableKeyPath<Plugins, Slot?>, for service: String? = nil, _ make: (Table) -> Slot
  ) -> hoist_status {
    take(config, table, error, kind, make) { box, adapter in
      if let service { try box.require(service, "this \(kind)") }
      box.plugins[keyPath: slot] = adapter
    }
  }
}

extension ConfigBox {
  /// - Parameter subject: what is for that service only.
  func require(_ service: String, _ subject: String) throws(Refusal) {
    guard factory?.name == service else { throw Refusal(.unsupported, "\(subject) is for \(service) only") }
  }
}
