public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_fetch_status_name") @implementation
public func hoist_flagship_fetch_status_name(_ status: hoist_flagship_fetch_status) -> UnsafePointer<CChar> {
  Constants.pointer(FetchStatus(rawValue: status)?.name ?? "")
}

@_cdecl("hoist_flagship_fetch_reason_name") @implementation
public func hoist_flagship_fetch_reason_name(_ reason: hoist_flagship_fetch_reason) -> UnsafePointer<CChar> {
  Constants.pointer(FetchReason(rawValue: reason)?.name ?? "")
}

@_cdecl("hoist_flagship_fetch_reason_newer_name") @implementation
public func hoist_flagship_fetch_reason_newer_name(_ reason: hoist_flagship_fetch_reason) -> UnsafePointer<CChar> {
  Constants.pointer(FetchReason(rawValue: reason)?.newerName ?? "")
}

@_cdecl("hoist_flagship_visitor_new") @implementation
public func hoist_flagship_visitor_new(
  _ client: OpaquePointer?, _ options: UnsafePointer<hoist_flagship_visitor_options>?,
  _ visitor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  visitor?.pointee = nil
  return attempt(error) {
    // Before anything else is checked: `release` runs whatever happens.
    let listener = CFlagshipVisitorListener(reading: options)
    if let options, listener == nil {
      throw Refusal(.argument, "struct_size of the options is \(HostTable.size(of: options)), which is no size of them")
    }
    let face = try FlagshipFace.need(client)
    guard let visitor else { throw Refusal(.argument, "visitor is NULL") }
    var made = try listener.map { try VisitorOptions($0.table) } ?? VisitorOptions(id: [], hasConsented: face.visitorsConsent)
    made.listener = listener?.isNeeded ?? false ? listener : nil
    guard let new = face.visitor(made) else { throw Refusal(.limit, "out of memory") }
    visitor.pointee = Handle<FlagshipVisitor>.give(new)
  }
}

extension VisitorOptions {
  fileprivate init(_ table: hoist_flagship_visitor_options) throws(Refusal) {
    let id = try CString.optional(table.id, "the id")
    // HOIST_FLAGSHIP_SHARED_INSTANCE, HOIST_FLAGSHIP_NEW_INSTANCE
    guard 0...1 ~= table.instance else { throw Refusal(.argument, "\(table.instance) is no kind of instance") }
    self.init(id: id ?? [], hasConsented: table.has_consented)
    isAuthenticated = table.is_authenticated
    isShared = table.instance == 0
    if let given = table.context {
      guard let pairs = ContextHandle.borrow(given)?.content.attributes else {
        throw Refusal(.argument, "the context is none")
      }
      context = pairs
    }
    if table.context_json != nil || table.context_json_length != 0 {
      guard let json = CString.array(table.context_json, table.context_json_length) else {
        throw Refusal(.argument, "context_json is not UTF-8, or its length is wrong")
      }
      guard let pairs = FlagshipVisitor.pairs(ofJSON: json) else {
        throw Refusal(.parse, "context_json is no JSON object")
      }
      context += pairs
    }
    if table.exported != nil || table.exported_length != 0 {
      guard let json = CString.array(table.exported, table.exported_length) else {
        throw Refusal(.argument, "exported is not UTF-8, or its length is wrong")
      }
      record = json
    }
  }
}

@_cdecl("hoist_flagship_visitor_free") @implementation
public func hoist_flagship_visitor_free(_ visitor: OpaquePointer?) { Handle<FlagshipVisitor>.take(visitor) }

@_cdecl("hoist_flagship_shared_visitor") @implementation
public func hoist_flagship_shared_visitor(_ client: OpaquePointer?) -> OpaquePointer? {
  FlagshipFace.of(client)?.sharedVisitor.map { Handle<FlagshipVisitor>.give($0) }
}

@_cdecl("hoist_flagship_visitor_id") @implementation
public func hoist_flagship_visitor_id(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipVisitor>.borrow(visitor).map { TextHandle.give($0.id) }
}

@_cdecl("hoist_flagship_visitor_anonymous_id") @implementation
public func hoist_flagship_visitor_anonymous_id(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipVisitor>.borrow(visitor).map { TextHandle.give($0.anonymousID, orElse: "") }
}

@_cdecl("hoist_flagship_visitor_authenticate") @implementation
public func hoist_flagship_visitor_authenticate(_ visitor: OpaquePointer?, _ id: UnsafePointer<CChar>?) -> hoist_status {
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor), let id = CString.array(id) else { return Status.argument.rawValue }
  return visitor.authenticate(as: id).rawValue
}

@_cdecl("hoist_flagship_visitor_unauthenticate") @implementation
public func hoist_flagship_visitor_unauthenticate(_ visitor: OpaquePointer?) -> hoist_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.unauthenticate() ?? .argument).rawValue
}

@_cdecl("hoist_flagship_visitor_has_consented") @implementation
public func hoist_flagship_visitor_has_consented(_ visitor: OpaquePointer?) -> Bool {
  Handle<FlagshipVisitor>.borrow(visitor)?.hasConsented ?? false
}

@_cdecl("hoist_flagship_visitor_set_consent") @implementation
public func hoist_flagship_visitor_set_consent(_ visitor: OpaquePointer?, _ has_consented: Bool) -> hoist_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.setConsent(has_consented) ?? .argument).rawValue
}

@_cdecl("hoist_flagship_visitor_fetch_status") @implementation
public func hoist_flagship_visitor_fetch_status(_ visitor: OpaquePointer?) -> hoist_flagship_fetch_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.fetchStatus ?? .fetchRequired).rawValue
}

@_cdecl("hoist_flagship_visitor_fetch_reason") @implementation
public func hoist_flagship_visitor_fetch_reason(_ visitor: OpaquePointer?) -> hoist_flagship_fetch_reason {
  (Handle<FlagshipVisitor>.borrow(visitor)?.fetchReason ?? FetchReason.none).rawValue
}

@_cdecl("hoist_flagship_visitor_fetch") @implementation
public func hoist_flagship_visitor_fetch(
  _ visitor: OpaquePointer?, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.fetch(completion: completion(done, user_data)) ?? .argument).rawValue
}

@_cdecl("hoist_flagship_visitor_fetch_wait") @implementation
public func hoist_flagship_visitor_fetch_wait(_ visitor: OpaquePointer?, _ timeout_ms: Int64) -> hoist_status {
  (Handle<FlagshipVisitor>.borrow(visitor)?.fetchAndWait(timeoutMilliseconds: timeout_ms) ?? .argument).rawValue
}

@_cdecl("hoist_flagship_visitor_export") @implementation
public func hoist_flagship_visitor_export(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipVisitor>.borrow(visitor).map { TextHandle.give($0.export) }
}
