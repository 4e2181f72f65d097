public import CHoist
internal import HoistCore
internal import HoistUnleash

/// Most labels of one sample.
private let maximumLabels = 32
/// Most bounds of one histogram.
private let maximumBounds = 256

@_cdecl("hoist_unleash_define_counter") @implementation
public func hoist_unleash_define_counter(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?
) -> hoist_status {
  define(client, name, help, .counter)
}

@_cdecl("hoist_unleash_define_gauge") @implementation
public func hoist_unleash_define_gauge(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?
) -> hoist_status {
  define(client, name, help, .gauge)
}

@_cdecl("hoist_unleash_define_histogram") @implementation
public func hoist_unleash_define_histogram(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?,
  _ bounds: UnsafePointer<Double>?, _ count: Int
) -> hoist_status {
  guard count >= 0, bounds != nil || count == 0 else { return Status.argument.rawValue }
  guard count <= maximumBounds else { return Status.limit.rawValue }
  let list = Array(UnsafeBufferPointer(start: bounds, count: count))
  guard list.allSatisfy(\.isFinite) else { return Status.argument.rawValue }
  return define(client, name, help, .histogram(list))
}

@_cdecl("hoist_unleash_increment") @implementation
public func hoist_unleash_increment(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ by: Int64, _ labels: UnsafePointer<hoist_unleash_label>?,
  _ label_count: Int
) -> hoist_status {
  guard by > 0 else { return Status.argument.rawValue }
  return record(client, name, labels, label_count) { $0.increment($1, by: by, $2) }
}

@_cdecl("hoist_unleash_set_gauge") @implementation
public func hoist_unleash_set_gauge(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double,
  _ labels: UnsafePointer<hoist_unleash_label>?, _ label_count: Int
) -> hoist_status {
  guard value.isFinite else { return Status.argument.rawValue }
  return record(client, name, labels, label_count) { $0.setGauge($1, to: value, $2) }
}

@_cdecl("hoist_unleash_observe_histogram") @implementation
public func hoist_unleash_observe_histogram(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double,
  _ labels: UnsafePointer<hoist_unleash_label>?, _ label_count: Int
) -> hoist_status {
  guard value.isFinite else { return Status.argument.rawValue }
  return record(client, name, labels, label_count) { $0.observe($1, value, $2) }
}

private func define(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?, _ kind: ImpactMetricKind
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    let name = try CString.needPath(name, "name")
    return face.define(name, help: try help.map { try CString.need($0, "help") } ?? "", kind)
  }
}

private func record(
  _ client: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ labels: UnsafePointer<hoist_unleash_label>?, _ count: Int,
  _ body: (UnleashFace, String, [String: String]) -> Status
) -> hoist_status {
  answer {
    let face = try UnleashFace.need(client)
    let name = try CString.need(name, "name")
    guard count >= 0, labels != nil || count == 0 else { return .argument }
    guard count <= maximumLabels else { return .limit }
    var map: [String: String] = [:]
    for label in UnsafeBufferPointer(start: labels, count: count) {
      map[try CString.need(label.name, "a label's name")] = try CString.need(label.value, "a label's value")
    }
    return body(face, name, map)
  }
}
