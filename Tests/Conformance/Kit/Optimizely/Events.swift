import HoistJSON
import HoistOptimizely

/// The posts of a vector as one line: address and body, the region among its members, attributes in order of their
/// keys, time stamps as placeholders, no empty tags.
func expectedPosts(_ events: JSONValue?) -> String {
  let posts = events?.array?.map { event in
    "\(event["url"]?.string ?? "-") \(normalized(event["body"], region: event["bodyRegion"]?.string))"
  }
  return (posts ?? []).joined(separator: " ; ")
}

func actualPosts(_ events: [UserEvent]) -> String {
  events.map { event in
    guard let document = try? JSONDocument(parsing: event.body) else { return "(not JSON)" }
    return document.withRoot { "\(event.region.eventsURL) \(normalized($0, region: nil))" }
  }.joined(separator: " ; ")
}

private func normalized(_ body: JSONValue?, region: String?) -> String {
  guard let body else { return "nothing" }
  var writer = JSONWriter()
  writer.object { writer in
    for (name, value) in members(body) where !(name == "visitors") {
      writer.key(utf8: name.utf8)
      writer.raw(value.source)
    }
    if let region { writer.member("region", region) }
    writer.key("visitors")
    writer.array { writer in for visitor in body["visitors"]?.array?.map({ $0 }) ?? [] { write(visitor, to: &writer) } }
  }
  return canonical(text: writer.bytes)
}

private func write(_ visitor: JSONValue, to writer: inout JSONWriter) {
  writer.object { writer in
    writer.member("visitor_id", visitor["visitor_id"]?.string ?? "-")
    writer.key("attributes")
    writer.array { writer in
      let attributes = visitor["attributes"]?.array?.map { $0 } ?? []
      for attribute in attributes.sorted(by: { ($0["key"]?.string ?? "") < ($1["key"]?.string ?? "") }) {
        writer.raw(attribute.source)
      }
    }
    writer.key("snapshots")
    writer.array { writer in for part in visitor["snapshots"]?.array?.map({ $0 }) ?? [] { write(snapshot: part, to: &writer) } }
  }
}

private func write(snapshot: JSONValue, to writer: inout JSONWriter) {
  writer.object { writer in
    writer.key("decisions")
    writer.raw(snapshot["decisions"]?.source ?? Array("null".utf8))
    writer.key("events")
    writer.array { writer in
      for event in snapshot["events"]?.array?.map({ $0 }) ?? [] {
        writer.object { writer in
          for (name, value) in members(event) where !(name == "timestamp") {
            if name == "tags", value.object?.count == 0 { continue }
            writer.key(utf8: name.utf8)
            writer.raw(value.source)
          }
        }
      }
    }
  }
}

/// The members of an object, in order.
func members(_ value: JSONValue?) -> [JSONObject.Element] {
  guard let object = value?.object else { return [] }
  return Array(object)
}
