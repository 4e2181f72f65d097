internal import CHoist
internal import HoistCore

/// Taking a host's table into a configuration, the same way for every kind.
enum PluginSlot {
  /// - Parameters:
  ///   - size: what the host says the size of its table is.
  ///   - make: builds the adapter, which owns `user_data` from then on. Runs before anything else is checked, so that
  ///     `release` runs whatever happens.
  static func set<Table, Adapter: AnyObject>(
    _ config: OpaquePointer?, _ table: UnsafePointer<Table>?, size: Int?, zero: Table,
    _ error: UnsafeMutablePointer<OpaquePointer?>?, kind: String, make: (Table) -> Adapter,
    store: (ConfigBox, Adapter) -> Void
  ) -> hoist_status {
    let slot = ErrorSlot(error)
    guard let table, let size else { return slot.fail(.argument, "the \(kind) table is NULL") }
    guard let copy = HostTable.read(table, size: size, zero: zero) else {
      return slot.fail(.argument, "struct_size of the \(kind) table is \(size), which is no size of such a table")
    }
    let adapter = make(copy)
    guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
    store(box, adapter)
    return Status.ok.rawValue
  }
}
