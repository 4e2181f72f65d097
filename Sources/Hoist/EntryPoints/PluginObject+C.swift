public import CHoist
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_config_load_plugin") @implementation
public func hoist_config_load_plugin(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let path = CString.text(path), !path.isEmpty else { return slot.fail(.argument, wrongPath) }
  guard let options = options == nil ? "" : CString.text(options) else {
    return slot.fail(.argument, "the options for the plug-in \(path) are not UTF-8")
  }
  do throws(PluginRefusal) {
    let object = try box.factory == nil ? PluginObject(path: path, offering: box) : PluginObject(path: path)
    let own = try box.factory == nil ? object.makeProvider(options) : nil
    // On a copy, so that a refusal leaves the configuration as it was and releases what was made before it.
    box.plugins = try object.installing(into: box.plugins, of: box.provider, options: options, besides: own)
    if let own { box.adopt(own) }
    return Status.ok.rawValue
  } catch {
    return slot.fail(error.status, error.message)
  }
}

@_cdecl("hoist_plugin_describe") @implementation
public func hoist_plugin_describe(
  _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  let slot = ErrorSlot(error)
  guard let path = CString.text(path), !path.isEmpty else {
    _ = slot.fail(.argument, wrongPath)
    return nil
  }
  do throws(PluginRefusal) {
    return TextHandle.give(try PluginObject(path: path).json)
  } catch {
    _ = slot.fail(error.status, error.message)
    return nil
  }
}

private let wrongPath = "the path of the plug-in is NULL, empty or not UTF-8"

extension PluginObject {
  /// An object for a configuration whose provider nobody knows: it has to bring that.
  fileprivate init(path: String, offering box: ConfigBox) throws(PluginRefusal) {
    try self.init(path: path)
    guard table.create_provider != nil, let offered = CString.text(table.provider_name) else {
      throw PluginRefusal(status: .configuration, message: box.unknownProvider)
    }
    guard offered.utf8.elementsEqual(box.provider.utf8) else {
      throw PluginRefusal(
        status: .configuration, message: "\(box.unknownProvider); the plug-in \(path) brings \"\(offered.prefix(80))\"")
    }
  }

  fileprivate func makeProvider(_ options: String) throws(PluginRefusal) -> HostedFactory? {
    guard let create = table.create_provider else { return nil }
    let made = HostedTable(try make("provider", options, create, hoist_provider()))
    return HostedFactory(description: try HostedDescription(made, offered: CString.text(table.provider_name)))
  }

  /// All that the object offers for a provider, or nothing.
  /// - Parameter own: the provider itself, if the object has brought that.
  func installing(
    into plugins: Plugins, of provider: String, options: String, besides own: HostedFactory?
  ) throws(PluginRefusal) -> Plugins {
    let offers = offers(for: provider)
    if offers.isEmpty, own == nil {
      throw PluginRefusal(status: .unsupported, message: "the plug-in \(path) offers nothing for \(provider)")
    }
    for offer in offers {
      if let refusal = offer.obstacle(plugins) { throw refusal }
    }
    var extended = plugins
    for offer in offers {
      // Once more: an object may name one strategy twice.
      if let refusal = offer.obstacle(extended) { throw refusal }
      try offer.install(options, &extended)
    }
    return extended
  }

  fileprivate var json: [UInt8] {
    let strategy = "unleash_strategy"
    let all = coreOffers + unleashOffers + optimizelyOffers + launchDarklyOffers
    // Once, however many there are.
    let firstStrategy = all.firstIndex { $0.kind == strategy }
    let kinds = all.indices.filter { all[$0].kind != strategy || $0 == firstStrategy }.map { all[$0].kind }
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("name")
      writer.string(name)
      writer.key("version")
      if let version { writer.string(version) } else { writer.null() }
      writer.key("abi_version")
      writer.int(table.abi_version)
      writer.key("kinds")
      let brought = table.create_provider == nil ? nil : CString.text(table.provider_name)
      writer.array { writer in for kind in kinds + (brought == nil ? [] : ["provider"]) { writer.string(kind) } }
      writer.key("unleash_strategies")
      writer.array { writer in for name in strategyNames { writer.string(name) } }
      if let brought {
        writer.key("provider")
        writer.string(brought)
      }
    }
    return writer.bytes
  }
}
