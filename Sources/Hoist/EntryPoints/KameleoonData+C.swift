public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

// MARK: Making

private func give(_ datum: VisitorDatum) -> OpaquePointer { Handle<LockedValue<VisitorDatum>>.give(LockedValue(datum)) }

/// nil for NULL.
func kameleoonDatum(_ handle: OpaquePointer?) -> VisitorDatum? {
  Handle<LockedValue<VisitorDatum>>.borrow(handle)?.withLock { $0 }
}

/// nil for a list that is none, or has an element that is none.
private func texts(_ values: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int) -> [[UInt8]]? {
  try? CString.list(values, count, limit: DatumLimits.texts)
}

/// "" for NULL; nil for invalid UTF-8.
private func textOrNone(_ text: UnsafePointer<CChar>?) -> [UInt8]? { text == nil ? [] : CString.array(text) }

@_cdecl("hoist_kameleoon_custom_data") @implementation
public func hoist_kameleoon_custom_data(
  _ index: Int64, _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
) -> OpaquePointer? {
  guard index >= 0, let values = texts(values, count) else { return nil }
  return give(.customData(CustomData(index: index, values: values)))
}

@_cdecl("hoist_kameleoon_custom_data_named") @implementation
public func hoist_kameleoon_custom_data_named(
  _ name: UnsafePointer<CChar>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
) -> OpaquePointer? {
  guard let name = CString.array(name), let values = texts(values, count) else { return nil }
  return give(.customData(CustomData(name: name, values: values)))
}

@_cdecl("hoist_kameleoon_custom_data_set_overwrite") @implementation
public func hoist_kameleoon_custom_data_set_overwrite(_ data: OpaquePointer?, _ overwrite: Bool) -> hoist_status {
  change(data) { datum in
    guard case .customData(var custom) = datum else { return .argument }
    custom.overwrites = overwrite
    datum = .customData(custom)
    return .ok
  }
}

@_cdecl("hoist_kameleoon_conversion") @implementation
public func hoist_kameleoon_conversion(_ goal_id: Int64, _ revenue: Double, _ is_negative: Bool) -> OpaquePointer? {
  guard revenue.isFinite else { return nil }
  return give(.conversion(Conversion(goalID: goal_id, revenue: revenue, isNegative: is_negative)))
}

@_cdecl("hoist_kameleoon_conversion_add_metadata") @implementation
public func hoist_kameleoon_conversion_add_metadata(
  _ conversion: OpaquePointer?, _ custom_data: OpaquePointer?
) -> hoist_status {
  guard case .customData(let custom) = kameleoonDatum(custom_data) else { return Status.argument.rawValue }
  return change(conversion) { datum in
    guard case .conversion(var conversion) = datum else { return .argument }
    guard conversion.metadata.count < DatumLimits.metadata else { return .limit }
    conversion.metadata.append(custom)
    datum = .conversion(conversion)
    return .ok
  }
}

@_cdecl("hoist_kameleoon_device") @implementation
public func hoist_kameleoon_device(_ type: hoist_kameleoon_device_type) -> OpaquePointer? {
  Device(rawValue: type).map { give(.device($0)) }
}

@_cdecl("hoist_kameleoon_geolocation") @implementation
public func hoist_kameleoon_geolocation(
  _ country: UnsafePointer<CChar>?, _ region: UnsafePointer<CChar>?, _ city: UnsafePointer<CChar>?,
  _ postal_code: UnsafePointer<CChar>?, _ latitude: UnsafePointer<Double>?, _ longitude: UnsafePointer<Double>?
) -> OpaquePointer? {
  guard let country = CString.array(country), let region = textOrNone(region), let city = textOrNone(city),
    let postalCode = textOrNone(postal_code), latitude?.pointee.isFinite ?? true, longitude?.pointee.isFinite ?? true
  else { return nil }
  return give(
    .geolocation(
      Geolocation(
        country: country, region: region, city: city, postalCode: postalCode, latitude: latitude?.pointee,
        longitude: longitude?.pointee)))
}

@_cdecl("hoist_kameleoon_browser") @implementation
public func hoist_kameleoon_browser(_ type: hoist_kameleoon_browser_type, _ version: Double) -> OpaquePointer? {
  guard let kind = BrowserKind(rawValue: type), version.isFinite else { return nil }
  return give(.browser(Browser(kind: kind, version: version == 0 ? nil : version)))
}

@_cdecl("hoist_kameleoon_operating_system") @implementation
public func hoist_kameleoon_operating_system(_ type: hoist_kameleoon_system_type) -> OpaquePointer? {
  OperatingSystem(rawValue: type).map { give(.operatingSystem($0)) }
}

@_cdecl("hoist_kameleoon_page_view") @implementation
public func hoist_kameleoon_page_view(
  _ url: UnsafePointer<CChar>?, _ title: UnsafePointer<CChar>?, _ referrers: UnsafePointer<Int64>?, _ count: Int
) -> OpaquePointer? {
  let title = title.map { CString.array($0) }
  if case .some(nil) = title { return nil }
  guard let url = CString.array(url), (0...DatumLimits.texts).contains(count),
    referrers != nil || count == 0
  else { return nil }
  let indexes = Array(UnsafeBufferPointer(start: referrers, count: count))
  return give(.pageView(PageView(url: url, title: title ?? nil, referrers: indexes)))
}

@_cdecl("hoist_kameleoon_user_agent") @implementation
public func hoist_kameleoon_user_agent(_ value: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.array(value).map { give(.userAgent($0)) }
}

@_cdecl("hoist_kameleoon_cookie") @implementation
public func hoist_kameleoon_cookie(_ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let name = CString.array(name), let value = CString.array(value) else { return nil }
  return give(.cookie([Cookie(name: name, value: value)]))
}

@_cdecl("hoist_kameleoon_cookie_add") @implementation
public func hoist_kameleoon_cookie_add(
  _ cookies: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  guard let name = CString.array(name), let value = CString.array(value) else { return Status.argument.rawValue }
  return change(cookies) { datum in
    guard case .cookie(var all) = datum else { return .argument }
    guard all.count < DatumLimits.texts else { return .limit }
    all.append(Cookie(name: name, value: value))
    datum = .cookie(all)
    return .ok
  }
}

@_cdecl("hoist_kameleoon_application_version") @implementation
public func hoist_kameleoon_application_version(_ version: UnsafePointer<CChar>?) -> OpaquePointer? {
  CString.array(version).map { give(.applicationVersion($0)) }
}

@_cdecl("hoist_kameleoon_unique_identifier") @implementation
public func hoist_kameleoon_unique_identifier(_ is_unique: Bool) -> OpaquePointer? { give(.uniqueIdentifier(is_unique)) }

private func change(_ handle: OpaquePointer?, _ body: (inout VisitorDatum) -> Status) -> hoist_status {
  (Handle<LockedValue<VisitorDatum>>.borrow(handle)?.withLock(body) ?? .argument).rawValue
}

// MARK: Reading

@_cdecl("hoist_kameleoon_data_kind_of") @implementation
public func hoist_kameleoon_data_kind_of(_ data: OpaquePointer?) -> hoist_kameleoon_data_kind {
  kameleoonDatum(data)?.kind ?? -1
}

@_cdecl("hoist_kameleoon_data_to_json") @implementation
public func hoist_kameleoon_data_to_json(_ data: OpaquePointer?) -> OpaquePointer? {
  kameleoonDatum(data).map { TextHandle.give($0.json) }
}

@_cdecl("hoist_kameleoon_data_from_json") @implementation
public func hoist_kameleoon_data_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  result(error) {
    let text = Array(try CString.json(json, length))
    guard let datum = VisitorDatum(json: text) else {
      throw Refusal(.parse, "json is no datum: it is no object with a known `type`, or a member is missing or wrong")
    }
    return give(datum)
  }
}

@_cdecl("hoist_kameleoon_data_free") @implementation
public func hoist_kameleoon_data_free(_ data: OpaquePointer?) { Handle<LockedValue<VisitorDatum>>.take(data) }
