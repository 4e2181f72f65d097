internal import CHoist
internal import HoistCore

/// One plug-in that a shared object can make.
struct PluginOffer {
  /// As `hoist_plugin_describe` names it, e.g. "header_provider".
  let kind: String
  /// Why there can be no such plug-in beside those.
  let obstacle: (Plugins) -> PluginRefusal?
  /// Makes the table from the options and adds its adapter.
  let install: (String, inout Plugins) throws(PluginRefusal) -> Void
}

extension PluginObject {
  /// A create function of the object, its arguments the options, the table, and the place for a message.
  typealias Create<Table> = (
    UnsafePointer<CChar>, UnsafeMutablePointer<Table>, UnsafeMutablePointer<CChar>, Int
  ) -> hoist_status

  /// - Parameters:
  ///   - zero: a table of Hoist's own size.
  ///   - adapt: takes over `user_data`.
  ///   - isTaken: whether the configuration has one, if it can have one only.
  func offer<Table, Adapter: AnyObject>(
    _ kind: String, _ create: @escaping Create<Table>, zero: Table, adapt: @escaping (Table) -> Adapter,
    isTaken: @escaping (Plugins) -> Bool, store: @escaping (inout Plugins, Adapter) -> Void
  ) -> PluginOffer {
    let noun = String(kind.map { $0 == "_" ? " " : $0 })
    return PluginOffer(kind: kind) { plugins in
      guard isTaken(plugins) else { return nil }
      return PluginRefusal(
        status: .state, message: "the plug-in \(path) offers a \(noun), and the configuration has one already")
    } install: { options, plugins throws(PluginRefusal) in
      store(&plugins, adapt(try make(noun, options, create, zero)))
    }
  }

  /// Calls a create function. What it answers is checked before anything of the table is believed.
  func make<Table>(
    _ noun: String, _ options: String, _ create: Create<Table>, _ zero: Table
  ) throws(PluginRefusal) -> Table {
    // As large as any table may be, for objects that were built with a newer header.
    let room = UnsafeMutableRawPointer.allocate(byteCount: HostTable.maximumBytes, alignment: 16)
    defer { room.deallocate() }
    room.initializeMemory(as: UInt8.self, repeating: 0, count: HostTable.maximumBytes)
    room.storeBytes(of: MemoryLayout<Table>.size, as: Int.self)
    let told = room.bindMemory(to: Table.self, capacity: 1)
    var message = [CChar](repeating: 0, count: 512)
    let status = options.withCString { options in
      message.withUnsafeMutableBufferPointer { line in
        line.baseAddress.map { create(options, told, $0, line.count) } ?? Status.plugin.rawValue
      }
    }
    guard status == Status.ok.rawValue else {
      throw .broken(path, "could not make its \(noun): \(Self.reason(message, status))")
    }
    let size = room.load(as: Int.self)
    guard let table = HostTable.read(told, size: size, zero: zero) else {
      throw .broken(path, "says that struct_size of its \(noun) table is \(size), which is no size of such a table")
    }
    return table
  }

  /// What a create function says of its failure.
  static func reason(_ message: [CChar], _ status: hoist_status) -> String {
    let reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let named = String(cString: hoist_status_name(status))
    return "\(reason.isEmpty ? "" : reason + " ")(\(named), status \(status))"
  }
}
