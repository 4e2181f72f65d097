public import CHoist
internal import HoistCore
internal import HoistJSON

/// What a `hoist_config` handle holds. One thread at a time.
final class ConfigBox {
  let provider: String
  /// nil for a provider that does not exist.
  private(set) var factory: (any ProviderFactory)?
  var values: PropertyValues
  var plugins = Plugins()

  init(provider: String) {
    self.provider = provider
    factory = Providers.factory(named: provider)
    values = PropertyValues(table: CoreProperties.table + (factory?.properties ?? []))
  }

  init(copying other: ConfigBox) {
    provider = other.provider
    factory = other.factory
    values = other.values
    plugins = other.plugins
  }

  /// A provider of its own, where there was none of the name.
  func adopt(_ factory: any ProviderFactory) {
    self.factory = factory
    values = PropertyValues(table: CoreProperties.table + factory.properties)
  }

  var unknownProvider: String {
    "unknown provider \"\(provider)\"; this library has \(Providers.names.joined(separator: ", "))"
  }
}

@_cdecl("hoist_config_new") @implementation
public func hoist_config_new(_ provider: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.text(provider).map { Handle<ConfigBox>.give(ConfigBox(provider: $0)) }
}

@_cdecl("hoist_config_copy") @implementation
public func hoist_config_copy(_ config: OpaquePointer?) -> OpaquePointer? {
  Handle<ConfigBox>.borrow(config).map { Handle<ConfigBox>.give(ConfigBox(copying: $0)) }
}

@_cdecl("hoist_config_free") @implementation
public func hoist_config_free(_ config: OpaquePointer?) { Handle<ConfigBox>.take(config) }

@_cdecl("hoist_config_set") @implementation
public func hoist_config_set(
  _ config: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    let name = try CString.need(name, "the property's name")
    let value = try CString.need(value, "the value of property \"\(name)\"")
    guard box.factory != nil else { throw Refusal(.configuration, box.unknownProvider) }
    try box.values.set(name, value)
  }
}

@_cdecl("hoist_config_unset") @implementation
public func hoist_config_unset(
  _ config: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    let name = try CString.need(name, "the property's name")
    guard box.factory != nil else { throw Refusal(.configuration, box.unknownProvider) }
    try box.values.unset(name)
  }
}

@_cdecl("hoist_config_set_json") @implementation
public func hoist_config_set_json(
  _ config: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) { try Handle<ConfigBox>.need(config, "config").setAll(try CString.json(json, length)) }
}

@_cdecl("hoist_config_load_file") @implementation
public func hoist_config_load_file(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    var doubts: [String] = []
    let content = try FileContent.read(path: try CString.needPath(path), limitBytes: 1 << 20) {
      doubts.append("configuration file: \($0)")
    }
    let former = box.values
    try content.withUnsafeBytes { try box.setAll($0) }
    guard doubts.isEmpty || box.values.textMap("plugins") == former.textMap("plugins") else {
      box.values = former
      throw Refusal(.configuration, "the configuration file names plug-ins, and others may change it: \(doubts[0])")
    }
    box.values.doubts += doubts
  }
}

@_cdecl("hoist_config_get") @implementation
public func hoist_config_get(_ config: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let box = Handle<ConfigBox>.borrow(config), let name = CString.text(name) else { return nil }
  return box.values.shown(name).map { TextHandle.give($0) }
}

@_cdecl("hoist_config_check_store") @implementation
public func hoist_config_check_store(
  _ config: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    guard let factory = box.factory else { throw Refusal(.configuration, box.unknownProvider) }
    try BuiltInServices.shared.checkStore(factory: factory, values: box.values, plugins: try box.allPlugins())
  }
}

@_cdecl("hoist_config_describe") @implementation
public func hoist_config_describe(_ provider: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = CString.text(provider), let factory = Providers.factory(named: name) else { return nil }
  return TextHandle.give(PropertyListing.json(CoreProperties.table + factory.properties))
}

extension ConfigBox {
  /// Those that the host has registered, and those that the property `plugins` names, which are made anew each time.
  func allPlugins() throws(ConfigurationFailure) -> Plugins { try plugins.loading(values, for: provider) }

  /// All members or none.
  fileprivate func setAll(_ json: UnsafeRawBufferPointer) throws {
    guard factory != nil else { throw Refusal(.configuration, unknownProvider) }
    values = try PropertyListing.applying(json, to: values)
  }
}
