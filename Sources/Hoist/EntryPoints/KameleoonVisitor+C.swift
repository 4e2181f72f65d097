public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_visitor_new") @implementation
public func hoist_kameleoon_visitor_new(
  _ client: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ visitor: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  visitor?.pointee = nil
  return attempt(error) {
    let face = try KameleoonFace.need(client)
    guard let visitor else { throw Refusal(.argument, "visitor is NULL") }
    let code = try CString.optional(code, "the visitor code")
    do throws(Status) {
      visitor.pointee = Handle<KameleoonVisitor>.give(try face.visitor(code))
    } catch {
      throw Refusal(error, KameleoonFace.reason(error))
    }
  }
}

@_cdecl("hoist_kameleoon_visitor_free") @implementation
public func hoist_kameleoon_visitor_free(_ visitor: OpaquePointer?) { Handle<KameleoonVisitor>.take(visitor) }

@_cdecl("hoist_kameleoon_visitor_code") @implementation
public func hoist_kameleoon_visitor_code(_ visitor: OpaquePointer?) -> OpaquePointer? {
  Handle<KameleoonVisitor>.borrow(visitor).map { TextHandle.give($0.code) }
}

@_cdecl("hoist_kameleoon_visitor_add_data") @implementation
public func hoist_kameleoon_visitor_add_data(
  _ visitor: OpaquePointer?, _ data: UnsafePointer<OpaquePointer?>?, _ count: Int, _ track: Bool
) -> hoist_status {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), count >= 0, data != nil || count == 0 else {
    return Status.argument.rawValue
  }
  var copies: [VisitorDatum] = []
  for handle in UnsafeBufferPointer(start: data, count: count) {
    guard let datum = kameleoonDatum(handle) else { return Status.argument.rawValue }
    copies.append(datum)
  }
  return visitor.add(copies, isTracked: track).rawValue
}

@_cdecl("hoist_kameleoon_visitor_set_legal_consent") @implementation
public func hoist_kameleoon_visitor_set_legal_consent(_ visitor: OpaquePointer?, _ is_given: Bool) -> hoist_status {
  (Handle<KameleoonVisitor>.borrow(visitor)?.setLegalConsent(is_given) ?? .argument).rawValue
}

@_cdecl("hoist_kameleoon_visitor_legal_consent") @implementation
public func hoist_kameleoon_visitor_legal_consent(_ visitor: OpaquePointer?) -> hoist_kameleoon_consent {
  (Handle<KameleoonVisitor>.borrow(visitor)?.legalConsent ?? .unknown).rawValue
}

@_cdecl("hoist_kameleoon_visitor_set_forced_variation") @implementation
public func hoist_kameleoon_visitor_set_forced_variation(
  _ visitor: OpaquePointer?, _ experiment_id: Int64, _ variation_key: UnsafePointer<CChar>?, _ forces_targeting: Bool
) -> hoist_status {
  let key = CString.array(variation_key)
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), variation_key == nil || key != nil else {
    return Status.argument.rawValue
  }
  return visitor.force(experiment_id, variation: key, forcesTargeting: forces_targeting).rawValue
}

@_cdecl("hoist_kameleoon_visitor_set_simulated_variations") @implementation
public func hoist_kameleoon_visitor_set_simulated_variations(
  _ visitor: OpaquePointer?, _ cookie_value: UnsafePointer<CChar>?
) -> hoist_status {
  let value = cookie_value == nil ? [] : CString.array(cookie_value)
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), let value else { return Status.argument.rawValue }
  return visitor.simulate(value).rawValue
}

@_cdecl("hoist_kameleoon_visitor_code_in_cookies") @implementation
public func hoist_kameleoon_visitor_code_in_cookies(_ cookies: UnsafePointer<CChar>?) -> OpaquePointer? {
  cookies.map { _ in TextHandle.give(CString.array(cookies).flatMap { VisitorCode.inCookies($0) }, orElse: "") }
}

@_cdecl("hoist_kameleoon_visitor_code_generate") @implementation
public func hoist_kameleoon_visitor_code_generate() -> OpaquePointer {
  TextHandle.give(VisitorCode.generate(SystemEntropy()))
}
