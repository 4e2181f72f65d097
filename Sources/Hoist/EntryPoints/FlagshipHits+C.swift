public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

// MARK: Making

@_cdecl("hoist_flagship_hit_new_screen") @implementation
public func hoist_flagship_hit_new_screen(_ location: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.view(location).map { HitHandle.give(.screen).having(.location, $0) }
}

@_cdecl("hoist_flagship_hit_new_page") @implementation
public func hoist_flagship_hit_new_page(_ location: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.view(location).map { HitHandle.give(.page).having(.location, $0) }
}

@_cdecl("hoist_flagship_hit_new_transaction") @implementation
public func hoist_flagship_hit_new_transaction(
  _ transaction_id: UnsafePointer<CChar>?, _ affiliation: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let id = CString.view(transaction_id), let affiliation = CString.view(affiliation) else { return nil }
  return HitHandle.give(.transaction).having(.transactionID, id).having(.affiliation, affiliation)
}

@_cdecl("hoist_flagship_hit_new_item") @implementation
public func hoist_flagship_hit_new_item(
  _ transaction_id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ code: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let id = CString.view(transaction_id), let name = CString.view(name), let code = CString.view(code) else {
    return nil
  }
  return HitHandle.give(.item).having(.transactionID, id).having(.itemName, name).having(.itemCode, code)
}

@_cdecl("hoist_flagship_hit_new_event") @implementation
public func hoist_flagship_hit_new_event(
  _ category: hoist_flagship_category, _ action: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let action = CString.view(action) else { return nil }
  let named: Hit.EventCategory
  switch Int(category) {
  case Int(HOIST_FLAGSHIP_ACTION_TRACKING): named = .actionTracking
  case Int(HOIST_FLAGSHIP_USER_ENGAGEMENT): named = .userEngagement
  default: return nil
  }
  return HitHandle.give(.event) { $0.set(named) }.having(.action, action)
}

extension OpaquePointer {
  /// A new hit, with a value that its kind has.
  fileprivate func having(_ field: HitField, _ text: ByteView) -> OpaquePointer {
    HitHandle.begin(self, field, text)
    return self
  }
}

@_cdecl("hoist_flagship_hit_free") @implementation
public func hoist_flagship_hit_free(_ hit: OpaquePointer?) { HitHandle.take(hit) }

// MARK: Completing

@inline(__always)
private func set(_ hit: OpaquePointer?, _ change: (inout Hit) throws(HitFlaw) -> Void) -> hoist_status {
  let status = HitHandle.withHit(hit) { hit in
    do throws(HitFlaw) {
      try change(&hit)
      return Status.ok
    } catch {
      return .argument
    }
  }
  return (status ?? .argument).rawValue
}

@inline(never)
private func set(_ hit: OpaquePointer?, _ field: HitField, _ text: ByteView) -> hoist_status {
  set(hit) { hit throws(HitFlaw) in try hit.set(field, text: text) }
}

@inline(never)
private func set(_ hit: OpaquePointer?, _ field: HitField, _ text: UnsafePointer<CChar>?) -> hoist_status {
  guard let text = CString.view(text) else { return Status.argument.rawValue }
  return set(hit, field, text)
}

@inline(never)
private func set(_ hit: OpaquePointer?, _ field: HitField, _ integer: Int64) -> hoist_status {
  set(hit) { hit throws(HitFlaw) in try hit.set(field, integer: integer) }
}

@inline(never)
private func set(_ hit: OpaquePointer?, _ field: HitField, _ number: Double) -> hoist_status {
  set(hit) { hit throws(HitFlaw) in try hit.set(field, number: number) }
}

@_cdecl("hoist_flagship_hit_set_location") @implementation
public func hoist_flagship_hit_set_location(_ hit: OpaquePointer?, _ location: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .location, location)
}

@_cdecl("hoist_flagship_hit_set_user_ip") @implementation
public func hoist_flagship_hit_set_user_ip(_ hit: OpaquePointer?, _ address: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .userIP, address)
}

@_cdecl("hoist_flagship_hit_set_screen_resolution") @implementation
public func hoist_flagship_hit_set_screen_resolution(_ hit: OpaquePointer?, _ resolution: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .screenResolution, resolution)
}

@_cdecl("hoist_flagship_hit_set_screen_color_depth") @implementation
public func hoist_flagship_hit_set_screen_color_depth(_ hit: OpaquePointer?, _ depth: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .screenColorDepth, depth)
}

@_cdecl("hoist_flagship_hit_set_user_language") @implementation
public func hoist_flagship_hit_set_user_language(_ hit: OpaquePointer?, _ language: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .userLanguage, language)
}

@_cdecl("hoist_flagship_hit_set_session_number") @implementation
public func hoist_flagship_hit_set_session_number(_ hit: OpaquePointer?, _ number: Int64) -> hoist_status {
  set(hit, .sessionNumber, number)
}

@_cdecl("hoist_flagship_hit_set_current_session_timestamp") @implementation
public func hoist_flagship_hit_set_current_session_timestamp(_ hit: OpaquePointer?, _ timestamp: Int64) -> hoist_status {
  set(hit, .sessionTimestamp, timestamp)
}

@_cdecl("hoist_flagship_hit_set_session_event_number") @implementation
public func hoist_flagship_hit_set_session_event_number(_ hit: OpaquePointer?, _ number: Int64) -> hoist_status {
  set(hit, .sessionEventNumber, number)
}

@_cdecl("hoist_flagship_hit_set_revenue") @implementation
public func hoist_flagship_hit_set_revenue(_ hit: OpaquePointer?, _ revenue: Double) -> hoist_status {
  set(hit, .revenue, revenue)
}

@_cdecl("hoist_flagship_hit_set_shipping") @implementation
public func hoist_flagship_hit_set_shipping(_ hit: OpaquePointer?, _ shipping: Double) -> hoist_status {
  set(hit, .shipping, shipping)
}

@_cdecl("hoist_flagship_hit_set_tax") @implementation
public func hoist_flagship_hit_set_tax(_ hit: OpaquePointer?, _ tax: Double) -> hoist_status { set(hit, .tax, tax) }

@_cdecl("hoist_flagship_hit_set_currency") @implementation
public func hoist_flagship_hit_set_currency(_ hit: OpaquePointer?, _ currency: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .currency, currency)
}

@_cdecl("hoist_flagship_hit_set_payment_method") @implementation
public func hoist_flagship_hit_set_payment_method(_ hit: OpaquePointer?, _ method: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .paymentMethod, method)
}

@_cdecl("hoist_flagship_hit_set_shipping_method") @implementation
public func hoist_flagship_hit_set_shipping_method(_ hit: OpaquePointer?, _ method: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .shippingMethod, method)
}

@_cdecl("hoist_flagship_hit_set_item_count") @implementation
public func hoist_flagship_hit_set_item_count(_ hit: OpaquePointer?, _ count: Int64) -> hoist_status {
  set(hit, .itemCount, count)
}

@_cdecl("hoist_flagship_hit_set_coupon_code") @implementation
public func hoist_flagship_hit_set_coupon_code(_ hit: OpaquePointer?, _ code: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .couponCode, code)
}

@_cdecl("hoist_flagship_hit_set_price") @implementation
public func hoist_flagship_hit_set_price(_ hit: OpaquePointer?, _ price: Double) -> hoist_status { set(hit, .price, price) }

@_cdecl("hoist_flagship_hit_set_quantity") @implementation
public func hoist_flagship_hit_set_quantity(_ hit: OpaquePointer?, _ quantity: Int64) -> hoist_status {
  set(hit, .quantity, quantity)
}

@_cdecl("hoist_flagship_hit_set_category") @implementation
public func hoist_flagship_hit_set_category(_ hit: OpaquePointer?, _ category: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .itemCategory, category)
}

@_cdecl("hoist_flagship_hit_set_label") @implementation
public func hoist_flagship_hit_set_label(_ hit: OpaquePointer?, _ label: UnsafePointer<CChar>?) -> hoist_status {
  set(hit, .label, label)
}

@_cdecl("hoist_flagship_hit_set_value") @implementation
public func hoist_flagship_hit_set_value(_ hit: OpaquePointer?, _ value: Int64) -> hoist_status { set(hit, .value, value) }

// MARK: Sending

@_cdecl("hoist_flagship_visitor_send_hit") @implementation
public func hoist_flagship_visitor_send_hit(
  _ visitor: OpaquePointer?, _ hit: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  return withSender(visitor) { visitor in
    HitHandle.withCopy(hit) { hit in
      let status = visitor.send(hit)
      return status == .ok ? status.rawValue : slot.fail(status, FlagshipFace.reason(status, of: hit))
    } ?? slot.fail(.argument, hit == nil ? "hit is NULL" : "the hit was in use when the process forked: make another one")
  } ?? slot.fail(.argument, "visitor is NULL")
}

/// Lends a visitor that sends. It is retained only where sending may wait: the host may free it meanwhile.
/// - Returns: nil for NULL.
@inline(__always)
private func withSender<Result>(_ handle: OpaquePointer?, _ body: (FlagshipVisitor) -> Result) -> Result? {
  guard let waits = Handle<FlagshipVisitor>.with(handle, { $0.waitsForStore }) else { return nil }
  return waits ? Handle<FlagshipVisitor>.borrow(handle).map(body) : Handle<FlagshipVisitor>.with(handle, body)
}
