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
  return OpaquePointer(Unmanaged.passUnretained(data[index]).toOpaque())
}

@_cdecl("hoist_kameleoon_data_list_free") @implementation
public func hoist_kameleoon_data_list_free(_ list: OpaquePointer?) { Handle<VisitorDataList>.take(list) }

@_cdecl("hoist_kameleoon_visitor_get_remote_visitor_data") @implementation
public func hoist_kameleoon_visitor_get_remote_visitor_data(
  _ visitor: OpaquePointer?, _ filter: UnsafePointer<hoist_kameleoon_filter>?, _ add_data: Bool, _ timeout_ms: Int64,
  _ done: hoist_kameleoon_data_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let filter = RemoteVisitorDataFilter(filter) else { return Status.argument.rawValue }
  return ask(visitor, .visitorData(filter, adds: add_data), timeout_ms, DataCompletion(done, user_data))
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
  return ask(visitor, .visitorData(filter, adds: add_data), timeout_ms, DataCompletion(done, user_data))
}

@_cdecl("hoist_kameleoon_visitor_get_remote_visitor_data_wait") @implementation
public func hoist_kameleoon_visitor_get_remote_visitor_data_wait(
  _ visitor: OpaquePointer?, _ filter: UnsafePointer<hoist_kameleoon_filter>?, _ add_data: Bool, _ timeout_ms: Int64,
  _ data: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  data?.pointee = nil
  guard let filter = RemoteVisitorDataFilter(filter) else { return Status.argument.rawValue }
  return askAndWait(visitor, .visitorData(filter, adds: add_data), timeout_ms, data)
}

@_cdecl("hoist_kameleoon_visitor_get_remote_data") @implementation
public func hoist_kameleoon_visitor_get_remote_data(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ timeout_ms: Int64, _ done: hoist_kameleoon_remote_data_done?,
  _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), let key = OptionalKey(key) else {
    return Status.argument.rawValue
  }
  let completion = RemoteDataCompletion(done, user_data)
  return visitor.ask(.data(key: key.bytes), timeoutMilliseconds: timeout_ms, completion: completion?.call).rawValue
}

@_cdecl("hoist_kameleoon_visitor_get_remote_data_wait") @implementation
public func hoist_kameleoon_visitor_get_remote_data_wait(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ timeout_ms: Int64, _ json: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  json?.pointee = nil
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), let key = OptionalKey(key) else {
    return Status.argument.rawValue
  }
  let answer = visitor.askAndWait(.data(key: key.bytes), timeoutMilliseconds: timeout_ms)
  if let json, answer.status == .ok { json.pointee = answer.body.map { TextHandle.give($0) } }
  return answer.status.rawValue
}

@_cdecl("hoist_kameleoon_visitor_get_warehouse_audience") @implementation
public func hoist_kameleoon_visitor_get_warehouse_audience(
  _ visitor: OpaquePointer?, _ warehouse_key: UnsafePointer<CChar>?, _ custom_data_index: Int64, _ timeout_ms: Int64,
  _ done: hoist_kameleoon_data_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let key = OptionalKey(warehouse_key) else { return Status.argument.rawValue }
  let question = RemoteQuestion.warehouseAudience(key: key.bytes, index: custom_data_index)
  return ask(visitor, question, timeout_ms, DataCompletion(done, user_data))
}

@_cdecl("hoist_kameleoon_visitor_get_warehouse_audience_wait") @implementation
public func hoist_kameleoon_visitor_get_warehouse_audience_wait(
  _ visitor: OpaquePointer?, _ warehouse_key: UnsafePointer<CChar>?, _ custom_data_index: Int64, _ timeout_ms: Int64,
  _ data: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  data?.pointee = nil
  guard let key = OptionalKey(warehouse_key) else { return Status.argument.rawValue }
  return askAndWait(visitor, .warehouseAudience(key: key.bytes, index: custom_data_index), timeout_ms, data)
}

private func ask(
  _ visitor: OpaquePointer?, _ question: RemoteQuestion, _ timeout: Int64, _ completion: DataCompletion?
) -> hoist_status {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor) else { return Status.argument.rawValue }
  return visitor.ask(question, timeoutMilliseconds: timeout, completion: completion?.call).rawValue
}

private func askAndWait(
  _ visitor: OpaquePointer?, _ question: RemoteQuestion, _ timeout: Int64, _ data: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor) else { return Status.argument.rawValue }
  let answer = visitor.askAndWait(question, timeoutMilliseconds: timeout)
  if let data, answer.status == .ok { data.pointee = Handle<VisitorDataList>.give(VisitorDataList(answer.data)) }
  return answer.status.rawValue
}

/// What a `hoist_kameleoon_data_list` handle holds.
private final class VisitorDataList: Sendable {
  let data: [Shared<VisitorDatum>]
  init(_ data: [VisitorDatum]) { self.data = data.map { Shared($0) } }
}

/// A key that may be NULL; nil for one that is not UTF-8.
private struct OptionalKey {
  let bytes: [UInt8]?

  init?(_ text: UnsafePointer<CChar>?) {
    bytes = CString.array(text)
    if text != nil, bytes == nil { return nil }
  }
}

/// A host's function and its argument.
private struct DataCompletion: @unchecked Sendable {
  private let done: hoist_kameleoon_data_done
  private let userData: UnsafeMutableRawPointer?

  /// nil for no function.
  init?(_ done: hoist_kameleoon_data_done?, _ userData: UnsafeMutableRawPointer?) {
    guard let done else { return nil }
    self.done = done
    self.userData = userData
  }

  func call(_ answer: RemoteAnswer) {
    let list = VisitorDataList(answer.status == .ok ? answer.data : [])
    withExtendedLifetime(list) {
      done(userData, answer.status.rawValue, OpaquePointer(Unmanaged.passUnretained(list).toOpaque()))
    }
  }
}

private struct RemoteDataCompletion: @unchecked Sendable {
  private let done: hoist_kameleoon_remote_data_done
  private let userData: UnsafeMutableRawPointer?

  /// nil for no function.
  init?(_ done: hoist_kameleoon_remote_data_done?, _ userData: UnsafeMutableRawPointer?) {
    guard let done else { return nil }
    self.done = done
    self.userData = userData
  }

  func call(_ answer: RemoteAnswer) {
    guard answer.status == .ok, let body = answer.body else { return done(userData, answer.status.rawValue, nil, 0) }
    let text = CText(body)
    withExtendedLifetime(text) { done(userData, answer.status.rawValue, text.pointer, text.count) }
  }
}

extension RemoteVisitorDataFilter {
  /// The standard one for NULL; nil for a structure that is none.
  fileprivate init?(_ filter: UnsafePointer<hoist_kameleoon_filter>?) {
    self.init()
    guard let filter else { return }
    guard let given = HostTable.read(filter, size: filter.pointee.struct_size, zero: hoist_kameleoon_filter()) else { return nil }
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
