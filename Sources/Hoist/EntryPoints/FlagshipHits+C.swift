public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

// MARK: Making

@_cdecl("hoist_flagship_hit_new_screen") @implementation
public func hoist_flagship_hit_new_screen(_ location: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.view(location).map { give(.screen(location: $0)) }
}

@_cdecl("hoist_flagship_hit_new_page") @implementation
public func hoist_flagship_hit_new_page(_ location: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.view(location).map { give(.page(location: $0)) }
}

@_cdecl("hoist_flagship_hit_new_transaction") @implementation
public func hoist_flagship_hit_new_transaction(
  _ transaction_id: UnsafePointer<CChar>?, _ affiliation: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let id = CString.view(transaction_id), let affiliation = CString.view(affiliation) else { return nil }
  return give(.transaction(id: id, affiliation: affiliation))
}

@_cdecl("hoist_flagship_hit_new_item") @implementation
public func hoist_flagship_hit_new_item(
  _ transaction_id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ code: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let id = CString.view(transaction_id), let name = CString.view(name), let code = CString.view(code) else {
    return nil
  }
  return give(.item(transactionID: id, name: name, code: code))
}

@_cdecl("hoist_flagship_hit_new_event") @implementation
public func hoist_flagship_hit_new_event(
  _ category: hoist_flagship_category, _ action: UnsafePointer<CChar>?
) -> OpaquePointer? {
  guard let action = CString.view(action) else { return nil }
  switch Int(category) {
  case Int(HOIST_FLAGSHIP_ACTION_TRACKING): return give(.event(.actionTracking, action: action))
  case Int(HOIST_FLAGSHIP_USER_ENGAGEMENT): return give(.event(.userEngagement, action: action))
  default: return nil
  }
}

@_cdecl("hoist_flagship_hit_free") @implementation
public func hoist_flagship_hit_free(_ hit: OpaquePointer?) { Handle<Shared<Hit>>.take(hit) }

private func give(_ hit: Hit) -> OpaquePointer { Handle<Shared<Hit>>.give(Shared(hit)) }

// MARK: Completing

private func set(_ hit: OpaquePointer?, _ change: (inout Hit) throws(HitFlaw) -> Void) -> hoist_status {
  guard let hit = Handle<Shared<Hit>>.borrow(hit) else { return Status.argument.rawValue }
  return hit.withLock { hit in
    do {
      try change(&hit)
      return Status.ok.rawValue
    } catch {
      return Status.argument.rawValue
    }
  }
}

private func set(_ hit: OpaquePointer?, _ field: HitField, _ text: UnsafePointer<CChar>?) -> hoist_status {
  guard let text = CString.view(text) else { return Status.argument.rawValue }
  return set(hit) { hit throws(HitFlaw) in try hit.set(field, text: text) }
}

private func set(_ hit: OpaquePointer?, _ field: HitField, _ integer: Int64) -> hoist_status {
  set(hit) { hit throws(HitFlaw) in try hit.set(field, integer: integer) }
}

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
  guard let visitor = Handle<FlagshipVisitor>.borrow(visitor) else { return slot.fail(.argument, "visitor is NULL") }
  guard let hit = Handle<Shared<Hit>>.borrow(hit)?.withLock({ $0 }) else { return slot.fail(.argument, "hit is NULL") }
  let status = visitor.send(hit)
  if status == .ok { return status.rawValue }
  return slot.fail(status, FlagshipFace.reason(status, of: hit))
}
