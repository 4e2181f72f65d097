public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_visitor_track_conversion") @implementation
public func hoist_kameleoon_visitor_track_conversion(
  _ visitor: OpaquePointer?, _ goal_id: Int64, _ revenue: Double, _ negative: Bool,
  _ metadata: UnsafePointer<OpaquePointer?>?, _ count: Int
) -> hoist_status {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), count >= 0, metadata != nil || count == 0 else {
    return Status.argument.rawValue
  }
  guard count <= DatumLimits.metadata else { return Status.limit.rawValue }
  var conversion = Conversion(goalID: goal_id, revenue: revenue, isNegative: negative)
  for handle in UnsafeBufferPointer(start: metadata, count: count) {
    guard case .customData(let data) = kameleoonDatum(handle) else { return Status.argument.rawValue }
    conversion.metadata.append(data)
  }
  return visitor.trackConversion(conversion).rawValue
}

@_cdecl("hoist_kameleoon_visitor_flush") @implementation
public func hoist_kameleoon_visitor_flush(
  _ visitor: OpaquePointer?, _ instant: Bool, _ done: hoist_done?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  (Handle<KameleoonVisitor>.borrow(visitor)?.flush(isInstant: instant, completion: completion(done, user_data)) ?? .argument)
    .rawValue
}

@_cdecl("hoist_kameleoon_visitor_evaluate_audiences") @implementation
public func hoist_kameleoon_visitor_evaluate_audiences(_ visitor: OpaquePointer?) -> hoist_status {
  (Handle<KameleoonVisitor>.borrow(visitor)?.evaluateAudiences() ?? .argument).rawValue
}
