public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_data_list_count") @implementation
public func hoist_kameleoon_data_list_count(_ list: OpaquePointer?) -> Int {
  Handle<VisitorDataList>.borrow(list)?.data.count ?? 0
}

@_cdecl("hoist_kameleoon_data_list_at") @implementation
public func hoist_kameleoon_data_list_at(_ list: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  guard let data = Handle<VisitorDataList>.borrow(list)?.data, data.indices.contains(index) else { return nil }
  return Handle.lent(data[index])
}

@_cdecl("hoist_kameleoon_data_list_free") @implementation
public func hoist_kameleoon_data_list_free(_ list: OpaquePointer?) { Handle<VisitorDataList>.take(list) }

@_cdecl("hoist_kameleoon_visitor_get_remote_visitor_data") @implementation
public func hoist_kameleoon_visitor_get_remote_visitor_data(
  _ visitor: OpaquePointer?, _ filter: UnsafePointer<hoist_kameleoon_filter>?, _ add_data: Bool, _ timeout_ms: Int64,
  _ done: hoist_kameleoon_data_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  ask(visitor, timeout_ms, tell(done, user_data)) { .visitorData(try RemoteVisitorDataFilter(filter), adds: add_data) }
}

@_cdecl("hoist_kameleoon_visitor_get_remote_visitor_data_of") @implementation
public func hoist_kameleoon_visitor_get_remote_visitor_data_of(
  _ visitor: OpaquePointer?, _ previous_visit_amount: Int64, _ current_visit: Bool, _ custom_data: Bool, _ conversions: Bool,
  _ experiments: Bool, _ geolocation: Bool, _ add_data: Bool, _ timeout_ms: Int64, _ done: hoist_kameleoon_data_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let parts: [(Bool, RemoteVisitorDataFilter.Parts)] = [
    (current_visit, .currentVisit), (custom_data, .customData), (conversions, .conversions), (experiments, .experiments),
    (geolocation, .geolocation),
  ]
  let filter = RemoteVisitorDataFilter(
    previousVisitAmount: previous_visit_amount, parts: parts.reduce(.visitorCode) { $1.0 ? $0.union($1.1) : $0 })
  return ask(visitor, timeout_ms, tell(done, user_data)) { .visitorData(filter, adds: add_data) }
}

@_cdecl("hoist_kameleoon_visitor_get_remote_visitor_data_wait") @implementation
public func hoist_kameleoon_visitor_get_remote_visitor_data_wait(
  _ visitor: OpaquePointer?, _ filter: UnsafePointer<hoist_kameleoon_filter>?, _ add_data: Bool, _ timeout_ms: Int64,
  _ data: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  askAndWait(visitor, timeout_ms, data) { .visitorData(try RemoteVisitorDataFilter(filter), adds: add_data) }
}

@_cdecl("hoist_kameleoon_visitor_add_remote_visitor_data") @implementation
public func hoist_kameleoon_visitor_add_remote_visitor_data(
  _ visitor: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int, _ track: Bool,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  answer(error) {
    let body = Array(try CString.json(json, length))
    let status = try Handle<KameleoonVisitor>.need(visitor, "visitor").add(remoteVisitorData: body, isTracked: track)
    switch status {
    case .ok: return .ok
    case .parse: throw Refusal(.parse, "json is no answer about visits: it is no JSON object")
    case .state: throw Refusal(.state, "the client is closed, or gone")
    case .limit: throw Refusal(.limit, "there is no room for what is to be sent; it is known for targeting")
    default: throw status
    }
  }
}

@_cdecl("hoist_kameleoon_visitor_get_remote_data") @implementation
public func hoist_kameleoon_visitor_get_remote_data(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ timeout_ms: Int64, _ done: hoist_kameleoon_remote_data_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  let data = UserData(user_data)
  @Sendable func tell(_ answer: RemoteAnswer) {
    let text = answer.status == .ok ? answer.body.map { CText($0) } : nil
    withExtendedLifetime(text) {
      done?(data.pointer, answer.status.rawValue, text?.pointer ?? Constants.empty, text?.count ?? 0)
    }
  }
  return ask(visitor, timeout_ms, done == nil ? nil : tell) { .data(key: try CString.optional(key, "key")) }
}

@_cdecl("hoist_kameleoon_visitor_get_remote_data_wait") @implementation
public func hoist_kameleoon_visitor_get_remote_data_wait(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ timeout_ms: Int64, _ json: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  json?.pointee = nil
  return answer {
    let question = RemoteQuestion.data(key: try CString.optional(key, "key"))
    let answer = try Handle<KameleoonVisitor>.need(visitor, "visitor").askAndWait(question, timeoutMilliseconds: timeout_ms)
    if let json, answer.status == .ok { json.pointee = TextHandle.give(answer.body, orElse: "") }
    return answer.status
  }
}

@_cdecl("hoist_kameleoon_visitor_get_warehouse_audience") @implementation
public func hoist_kameleoon_visitor_get_warehouse_audience(
  _ visitor: OpaquePointer?, _ warehouse_key: UnsafePointer<CChar>?, _ custom_data_index: Int64, _ timeout_ms: Int64,
  _ done: hoist_kameleoon_data_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  ask(visitor, timeout_ms, tell(done, user_data)) {
    .warehouseAudience(key: try CString.optional(warehouse_key, "warehouse_key"), index: custom_data_index)
  }
}

@_cdecl("hoist_kameleoon_visitor_get_warehouse_audience_wait") @implementation
public func hoist_kameleoon_visitor_get_warehouse_audience_wait(
  _ visitor: OpaquePointer?, _ warehouse_key: UnsafePointer<CChar>?, _ custom_data_index: Int64, _ timeout_ms: Int64,
  _ data: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  askAndWait(visitor, timeout_ms, data) {
    .warehouseAudience(key: try CString.optional(warehouse_key, "warehouse_key"), index: custom_data_index)
  }
}

private func ask(
  _ visitor: OpaquePointer?, _ timeout: Int64, _ completion: (@Sendable (RemoteAnswer) -> Void)?,
  _ question: () throws -> RemoteQuestion
) -> hoist_status {
  answer {
    let visitor = try Handle<KameleoonVisitor>.need(visitor, "visitor")
    return visitor.ask(try question(), timeoutMilliseconds: timeout, completion: completion)
  }
}

private func askAndWait(
  _ visitor: OpaquePointer?, _ timeout: Int64, _ data: UnsafeMutablePointer<OpaquePointer?>?,
  _ question: () throws -> RemoteQuestion
) -> hoist_status {
  data?.pointee = nil
  return answer {
    let visitor = try Handle<KameleoonVisitor>.need(visitor, "visitor")
    let answer = visitor.askAndWait(try question(), timeoutMilliseconds: timeout)
    if let data, answer.status == .ok { data.pointee = Handle<VisitorDataList>.give(VisitorDataList(answer.data)) }
    return answer.status
  }
}

/// A host's function and its argument; nil for none.
private func tell(
  _ done: hoist_kameleoon_data_done?, _ userData: UnsafeMutableRawPointer?
) -> (@Sendable (RemoteAnswer) -> Void)? {
  let data = UserData(userData)
  @Sendable func tell(_ answer: RemoteAnswer) {
    Handle.lend(VisitorDataList(answer.status == .ok ? answer.data : [])) { done?(data.pointer, answer.status.rawValue, $0) }
  }
  return done == nil ? nil : tell
}

/// What a `hoist_kameleoon_data_list` handle holds.
private final class VisitorDataList: Sendable {
  let data: [LockedValue<VisitorDatum>]
  init(_ data: [VisitorDatum]) { self.data = data.map { LockedValue($0) } }
}

extension RemoteVisitorDataFilter {
  /// The standard one for NULL.
  fileprivate init(_ filter: UnsafePointer<hoist_kameleoon_filter>?) throws(Refusal) {
    self.init()
    guard let filter else { return }
    guard let given = HostTable.read(filter) else { throw Refusal(.argument, "filter is none") }
    previousVisitAmount = given.previous_visit_amount
    let chosen: [(Bool, Parts)] = [
      (given.current_visit, .currentVisit), (given.custom_data, .customData), (given.page_views, .pageViews),
      (given.geolocation, .geolocation), (given.device, .device), (given.browser, .browser),
      (given.operating_system, .operatingSystem), (given.conversions, .conversions), (given.experiments, .experiments),
      (given.personalization, .personalization), (given.kcs, .kcs), (given.cbs, .cbs), (given.visitor_code, .visitorCode),
    ]
    parts = chosen.reduce([]) { $1.0 ? $0.union($1.1) : $0 }
  }
}
