internal import CHoist
internal import HoistCore

/// One plug-in that a shared object can make.
struct PluginOffer {
  /// As `hoist_plugin_describe` names it, e.g. "header_provider".
  let kind: String
  /// Why there can be no such plug-in beside those.
  let obstacle: (Plugins) -> Refusal?
  /// Makes the table from the options and adds its adapter; throws `unsupported` where they ask for none.
  let install: (String, inout Plugins) throws(Refusal) -> Void
}

extension PluginObject {
  /// A create function of the object, its arguments the options, the table, and the place for a message.
  typealias Create<Table> = (
    UnsafePointer<CChar>, UnsafeMutablePointer<Table>, UnsafeMutablePointer<CChar>, Int
  ) -> hoist_status

  /// - Parameters:
  ///   - create: nil for an object that has no such plug-in.
  ///   - slot: of a kind that a configuration has one of.
  ///   - adapt: takes over `user_data`.
  func offer<Table: FunctionTable, Slot>(
    _ kind: String, _ create: Create<Table>?, _ slot: WritableKeyPath<Plugins, Slot?>, adapt: @escaping (Table) -> Slot
  ) -> PluginOffer? {
    guard let create else { return nil }
    let noun = String(kind.map { $0 == "_" ? " " : $0 })
    return PluginOffer(kind: kind) { plugins in
      guard plugins[keyPath: slot] != nil else { return nil }
      return refusal(.state, "offers a \(noun), and the configuration has one already")
    } install: { options, plugins throws(Refusal) in
      plugins[keyPath: slot] = adapt(try make(noun, options, create))
    }
  }

  func refusal(_ status: Status, _ what: String) -> Refusal { Refusal(status, "the plug-in \(path) \(what)") }

  /// Calls a create function. What it answers is checked before anything of the table is believed.
  /// - Throws: `unsupported` where the options ask for nothing of the kind.
  func make<Table: FunctionTable>(_ noun: String, _ options: String, _ create: Create<Table>) throws(Refusal) -> Table {
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
      let what = "could not make its \(noun): \(Self.reason(message, status))"
      throw status == Status.unsupported.rawValue ? refusal(.unsupported, what) : .broken(path, what)
    }
    guard let table: Table = HostTable.take(UnsafePointer(told)) else {
      let size = HostTable.size(of: told)
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
