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
  guard let factory = box.factory else { return slot.fail(.configuration, box.unknownProvider) }
  do throws(PluginRefusal) {
    // On a copy, so that a refusal leaves the configuration as it was and releases what was made before it.
    box.plugins = try PluginObject(path: path).installing(into: box.plugins, of: factory.name, options: options)
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
    return Handle<CText>.give(CText(try PluginObject(path: path).json))
  } catch {
    _ = slot.fail(error.status, error.message)
    return nil
  }
}

private let wrongPath = "the path of the plug-in is NULL, empty or not UTF-8"

extension PluginObject {
  /// All that the object offers for a provider, or nothing.
  func installing(into plugins: Plugins, of provider: String, options: String) throws(PluginRefusal) -> Plugins {
    let offers = offers(for: provider)
    if offers.isEmpty {
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
      writer.array { writer in for kind in kinds { writer.string(kind) } }
      writer.key("unleash_strategies")
      writer.array { writer in for name in strategyNames { writer.string(name) } }
    }
    return writer.bytes
  }
}
