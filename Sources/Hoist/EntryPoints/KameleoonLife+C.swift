public import CHoist
internal import Glibc
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_version") @implementation
public func hoist_kameleoon_version() -> UnsafePointer<CChar> { Constants.pointer("hoist 0.1.0") }

@_cdecl("hoist_kameleoon_create") @implementation
public func hoist_kameleoon_create(
  _ site_code: UnsafePointer<CChar>?, _ visitor_code: UnsafePointer<CChar>?, _ config: OpaquePointer?,
  _ visitor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  visitor?.pointee = nil
  return attempt(error) {
    guard let visitor else { throw Refusal(.argument, "visitor is NULL") }
    let site = try CString.need(site_code, "site_code")
    let code = try CString.optional(visitor_code, "visitor_code")
    let given = Handle<ConfigBox>.borrow(config)
    guard config == nil || given?.factory is KameleoonFactory else {
      throw Refusal(.argument, "config is none of Kameleoon's")
    }
    var values = given?.values ?? ConfigBox(provider: "kameleoon").values
    if given == nil, let path = KameleoonDefaultFile.path { values = try ConfigurationFile.applying(path: path, to: values) }
    let made = try KameleoonSites().create(
      siteCode: site, visitorCode: code, values: values, isGiven: given != nil, plugins: given?.plugins ?? Plugins(),
      services: BuiltInServices.shared)
    visitor.pointee = Handle<KameleoonVisitor>.give(made)
  }
}

/// The file that is read when a host gives no configuration (KAM-01).
private enum KameleoonDefaultFile {
  private static let name = "kameleoon-client-swift.plist"

  /// nil when there is none.
  static var path: String? {
    if let named = Environment.value("HOIST_KAMELEOON_CONFIG"), !named.isEmpty { return named }
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
  return KameleoonSites().forget(siteCode: site, environment: named ?? "", timeoutMilliseconds: timeout_ms).rawValue
}

@_cdecl("hoist_kameleoon_visitor_client") @implementation
public func hoist_kameleoon_visitor_client(_ visitor: OpaquePointer?) -> OpaquePointer? {
  guard let client = Handle<KameleoonVisitor>.borrow(visitor)?.client, SharedClients.process.lend(client) else { return nil }
  return OpaquePointer(client.hot)
}

@_cdecl("hoist_kameleoon_config_load_file") @implementation
public func hoist_kameleoon_config_load_file(
  _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let box = try Handle<ConfigBox>.need(config, "config")
    let path = try CString.needPath(path)
    try box.require("kameleoon", "such a file")
    box.values = try ConfigurationFile.applying(path: path, to: box.values)
  }
}

@_cdecl("hoist_kameleoon_is_ready") @implementation
public func hoist_kameleoon_is_ready(_ client: OpaquePointer?) -> Bool { KameleoonFace.of(client)?.isReady ?? false }

@_cdecl("hoist_kameleoon_run_when_ready") @implementation
public func hoist_kameleoon_run_when_ready(
  _ client: OpaquePointer?, _ timeout_ms: Int64, _ done: hoist_kameleoon_ready?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  answer {
    guard let done else { return .argument }
    let data = UserData(user_data)
    return try KameleoonFace.need(client).runWhenReady(timeoutMilliseconds: timeout_ms) { done(data.pointer, $0) }
  }
}

@_cdecl("hoist_kameleoon_wait_ready") @implementation
public func hoist_kameleoon_wait_ready(_ client: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  answer { try KameleoonFace.need(client).waitReady(timeoutMilliseconds: timeout_ms) }
}

@_cdecl("hoist_kameleoon_observe") @implementation
public func hoist_kameleoon_observe(
  _ client: OpaquePointer?, _ observer: UnsafePointer<hoist_kameleoon_observer>?, _ token: UnsafeMutablePointer<hoist_token>?
) -> hoist_status {
  HostRegistration.add(CKameleoonObserver(reading: observer), token) { try $0.observe(KameleoonFace.need(client)) }
}
