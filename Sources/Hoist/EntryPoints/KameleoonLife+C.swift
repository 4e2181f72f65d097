public import CHoist
internal import Glibc
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_create") @implementation
public func hoist_kameleoon_create(
  _ site_code: UnsafePointer<CChar>?, _ visitor_code: UnsafePointer<CChar>?, _ config: OpaquePointer?,
  _ visitor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  visitor?.pointee = nil
  let slot = ErrorSlot(error)
  guard let visitor else { return slot.fail(.argument, "visitor is NULL") }
  guard let site = CString.text(site_code) else { return slot.fail(.argument, "site_code is NULL or not UTF-8") }
  let code = CString.array(visitor_code)
  guard visitor_code == nil || code != nil else { return slot.fail(.argument, "visitor_code is not UTF-8") }
  let given = Handle<ConfigBox>.borrow(config)
  guard config == nil || given?.factory is KameleoonFactory else {
    return slot.fail(.argument, "config is none of Kameleoon's")
  }
  var values = given?.values ?? ConfigBox(provider: "kameleoon").values
  if given == nil, let path = KameleoonDefaultFile.path {
    do throws(ConfigurationFile.Failure) {
      values = try ConfigurationFile.applying(path: path, to: values)
    } catch {
      return slot.fail(error.status, error.message)
    }
  }
  do throws(KameleoonCreationFailure) {
    let made = try KameleoonSites.shared.create(
      siteCode: site, visitorCode: code, values: values, isGiven: given != nil, plugins: given?.plugins ?? Plugins(),
      services: BuiltInServices.shared)
    visitor.pointee = Handle<KameleoonVisitor>.give(made)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error.status, error.message)
  }
}

/// The file that is read when a host gives no configuration (KAM-01).
private enum KameleoonDefaultFile {
  private static let name = "kameleoon-client-swift.plist"

  /// nil when there is none.
  static var path: String? {
    if let named = getenv("HOIST_KAMELEOON_CONFIG"), named.pointee != 0 { return CString.text(named) }
    return access(name, R_OK) == 0 ? name : nil
  }
}

@_cdecl("hoist_kameleoon_forget") @implementation
public func hoist_kameleoon_forget(
  _ site_code: UnsafePointer<CChar>?, _ environment: UnsafePointer<CChar>?, _ timeout_ms: Int64
) -> hoist_status {
  guard let site = CString.text(site_code) else { return Status.argument.rawValue }
  let named = CString.text(environment)
  guard environment == nil || named != nil else { return Status.argument.rawValue }
  return KameleoonSites.shared.forget(siteCode: site, environment: named ?? "", timeoutMilliseconds: timeout_ms).rawValue
}

@_cdecl("hoist_kameleoon_visitor_client") @implementation
public func hoist_kameleoon_visitor_client(_ visitor: OpaquePointer?) -> OpaquePointer? {
  guard let client = Handle<KameleoonVisitor>.borrow(visitor)?.client, KameleoonSites.shared.lend(client) else { return nil }
  return OpaquePointer(client.hot)
}

@_cdecl("hoist_kameleoon_config_load_file") @implementation
public func hoist_kameleoon_config_load_file(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let box = Handle<ConfigBox>.borrow(config) else { return slot.fail(.argument, "config is NULL") }
  guard let path = CString.text(path), !path.isEmpty else {
    return slot.fail(.argument, "the path is NULL, empty or not UTF-8")
  }
  guard box.factory is KameleoonFactory else { return slot.fail(.unsupported, "the configuration is none of Kameleoon's") }
  do throws(ConfigurationFile.Failure) {
    box.values = try ConfigurationFile.applying(path: path, to: box.values)
    return Status.ok.rawValue
  } catch {
    return slot.fail(error.status, error.message)
  }
}

@_cdecl("hoist_kameleoon_is_ready") @implementation
public func hoist_kameleoon_is_ready(_ client: OpaquePointer?) -> Bool { kameleoon(client)?.isReady ?? false }

@_cdecl("hoist_kameleoon_run_when_ready") @implementation
public func hoist_kameleoon_run_when_ready(
  _ client: OpaquePointer?, _ timeout_ms: Int64, _ done: hoist_kameleoon_ready?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard ClientHandle.borrow(client) != nil, let done else { return Status.argument.rawValue }
  guard let face = kameleoon(client) else { return Status.unsupported.rawValue }
  let completion = ReadyCompletion(done: done, userData: user_data)
  return face.runWhenReady(timeoutMilliseconds: timeout_ms) { completion.done(completion.userData, $0) }.rawValue
}

private struct ReadyCompletion: @unchecked Sendable {
  let done: hoist_kameleoon_ready
  let userData: UnsafeMutableRawPointer?
}

@_cdecl("hoist_kameleoon_wait_ready") @implementation
public func hoist_kameleoon_wait_ready(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  guard ClientHandle.borrow(client) != nil else { return Status.argument.rawValue }
  return (kameleoon(client)?.waitReady(timeoutMilliseconds: timeout_ms) ?? .unsupported).rawValue
}

@_cdecl("hoist_kameleoon_set_listener") @implementation
public func hoist_kameleoon_set_listener(
  _ client: OpaquePointer?, _ listener: UnsafePointer<hoist_kameleoon_listener>?
) -> hoist_status {
  let table = listener.map { HostTable.read($0, size: $0.pointee.struct_size, zero: hoist_kameleoon_listener()) }
  // Before anything else is checked: `release` runs whatever happens.
  let adapter = (table ?? nil).map { CKameleoonListener($0) }
  guard ClientHandle.borrow(client) != nil, listener == nil || adapter != nil else { return Status.argument.rawValue }
  guard let face = kameleoon(client) else { return Status.unsupported.rawValue }
  if let adapter { adapter.listen(to: face) } else { face.setHandlers() }
  return Status.ok.rawValue
}

@_cdecl("hoist_kameleoon_set_log_level") @implementation
public func hoist_kameleoon_set_log_level(_ client: OpaquePointer?, _ level: Int32) -> hoist_status {
  let wanted = LogLevel(rawValue: level)
  guard ClientHandle.borrow(client) != nil, level == 0 || wanted != nil else { return Status.argument.rawValue }
  guard let face = kameleoon(client) else { return Status.unsupported.rawValue }
  face.logLevel = wanted
  return Status.ok.rawValue
}

@_cdecl("hoist_kameleoon_log_level") @implementation
public func hoist_kameleoon_log_level(_ client: OpaquePointer?) -> Int32 { kameleoon(client)?.logLevel?.rawValue ?? 0 }
