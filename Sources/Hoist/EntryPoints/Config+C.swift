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
  let slot = ErrorSlot(error)
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let name = CString.text(name) else { return slot.fail(.argument, "the property's name is NULL or not UTF-8") }
  guard let value = CString.text(value) else {
    return slot.fail(.argument, "the value of property \"\(name)\" is NULL or not UTF-8")
  }
  guard box.factory != nil else { return slot.fail(.configuration, box.unknownProvider) }
  do {
    try box.values.set(name, value)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error)
  }
}

@_cdecl("hoist_config_set_json") @implementation
public func hoist_config_set_json(
  _ config: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let text = CString.json(json, length, slot) else { return Status.argument.rawValue }
  return box.setAll(text, slot)
}

@_cdecl("hoist_config_load_file") @implementation
public func hoist_config_load_file(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let path = CString.text(path), !path.isEmpty else {
    return slot.fail(.argument, "the path is NULL, empty or not UTF-8")
  }
  do {
    let content = try FileContent.read(path: path, limitBytes: 1 << 20)
    return content.withUnsafeBytes { box.setAll($0, slot) }
  } catch {
    return slot.fail(.io, error.message)
  }
}

@_cdecl("hoist_config_get") @implementation
public func hoist_config_get(_ config: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let box = Handle<ConfigBox>.borrow(config), let name = CString.text(name) else { return nil }
  return box.values.shown(name).map { TextHandle.give($0) }
}

@_cdecl("hoist_config_describe") @implementation
public func hoist_config_describe(_ provider: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = CString.text(provider), let factory = Providers.factory(named: name) else { return nil }
  return TextHandle.give(PropertyListing.json(CoreProperties.table + factory.properties))
}

extension ConfigBox {
  /// All members or none.
  fileprivate func setAll(_ json: UnsafeRawBufferPointer, _ slot: ErrorSlot) -> hoist_status {
    guard factory != nil else { return slot.fail(.configuration, unknownProvider) }
    do {
      values = try PropertyListing.applying(json, to: values)
      return Status.ok.rawValue
    } catch {
      return slot.fail(error.isUnreadable ? .parse : .configuration, error.message)
    }
  }
}
