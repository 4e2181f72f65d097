public import CHoist
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_config_load_plugin") @implementation
public func hoist_config_load_plugin(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    let path = try CString.needPath(path, pathName)
    let options = options == nil ? "" : try CString.need(options, "the text of options for the plug-in \(path)")
    let object = try box.factory == nil ? PluginObject(path: path, offering: box) : PluginObject(path: path)
    let own = try box.factory == nil ? object.makeProvider(options) : nil
    // On a copy, so that a refusal leaves the configuration as it was and releases what was made before it.
    box.plugins = try object.installing(into: box.plugins, of: box.provider, options: options, besides: own)
    if let own { box.adopt(own) }
  }
}

@_cdecl("hoist_plugin_describe") @implementation
public func hoist_plugin_describe(
  _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) { TextHandle.give(try PluginObject(path: try CString.needPath(path, pathName)).json) }
}

private let pathName = "the path of the plug-in"

extension PluginObject {
  /// For a configuration of an unknown provider: the object has to supply it.
  fileprivate init(path: String, offering box: ConfigBox) throws(Refusal) {
    try self.init(path: path)
    guard table.create_provider != nil, let offered = CString.text(table.provider_name) else {
      throw Refusal(.configuration, box.unknownProvider)
    }
    guard offered.utf8.elementsEqual(box.provider.utf8) else {
      throw Refusal(
        .configuration, "\(box.unknownProvider); the plug-in \(path) brings \"\(offered.prefix(80))\"")
    }
  }

  fileprivate func makeProvider(_ options: String) throws(Refusal) -> HostedFactory? {
    guard let create = table.create_provider else { return nil }
    let made = HostedTable(try make("provider", options, create))
    return HostedFactory(description: try HostedDescription(made, offered: CString.text(table.provider_name)))
  }

  /// All that the object offers for a provider, or nothing.
  /// - Parameter own: the provider itself, if the object has brought that.
  func installing(
    into plugins: Plugins, of provider: String, options: String, besides own: HostedFactory?
  ) throws(Refusal) -> Plugins {
    let offers = offers(for: provider)
    if offers.isEmpty, own == nil {
      throw Refusal(.unsupported, "the plug-in \(path) offers nothing for \(provider)")
    }
    for offer in offers {
      if let refusal = offer.obstacle(plugins) { throw refusal }
    }
    var extended = plugins
    var (isUsed, unasked) = (own != nil, Refusal?.none)
    for offer in offers {
      // Once more: an object may name one strategy twice.
      if let refusal = offer.obstacle(extended) { throw refusal }
      do throws(Refusal) {
        try offer.install(options, &extended)
        isUsed = true
      } catch {
        guard error.status == .unsupported else { throw error }
        unasked = error
      }
    }
    if !isUsed, let unasked { throw unasked }
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
      writer.member("name", name)
      writer.member("version", version)
      writer.member("abi_version", table.abi_version)
      writer.key("kinds")
      let brought = table.create_provider == nil ? nil : CString.text(table.provider_name)
      writer.array { writer in for kind in kinds + (brought == nil ? [] : ["provider"]) { writer.string(kind) } }
      writer.key("unleash_strategies")
      writer.array { writer in for name in strategyNames { writer.string(name) } }
      if let brought {
        writer.member("provider", brought)
      }
    }
    return writer.bytes
  }
}
