import HoistJSON
import HoistLaunchDarkly

/// Events in the form that is compared.
enum NormalEvents {
  /// A payload as the vectors show it: without times and keys of identify events, sets in order.
  static func normal(_ payload: JSONValue) -> String {
    let events = LDValue(payload).array ?? []
    return "[" + events.map { String(decoding: normal(event: $0).json, as: UTF8.self) }.joined(separator: ",") + "]"
  }

  static func normal(event: LDValue) -> LDValue {
    guard let object = event.object else { return event }
    let isIdentify = object["kind"]?.string == "identify"
    return .object(
      LDObject(
        object.compactMap { member -> LDObject.Member? in
          switch member.name {
          case "creationDate", "startDate", "endDate": nil
          case "key" where isIdentify: nil
          case "context": LDObject.Member(name: member.name, value: normal(context: member.value))
          case "features": LDObject.Member(name: member.name, value: mapped(member.value) { normal(feature: $0) })
          default: member
          }
        }))
  }

  private static func mapped(_ value: LDValue, _ change: (LDValue) -> LDValue) -> LDValue {
    guard let object = value.object else { return value }
    return .object(LDObject(object.map { LDObject.Member(name: $0.name, value: change($0.value)) }))
  }

  private static func normal(feature: LDValue) -> LDValue {
    guard let object = feature.object else { return feature }
    return .object(
      LDObject(
        object.map { member in
          member.name == "contextKinds" || member.name == "counters"
            ? LDObject.Member(name: member.name, value: sorted(member.value)) : member
        }))
  }

  private static func sorted(_ list: LDValue) -> LDValue {
    guard let elements = list.array else { return list }
    return .array(elements.map { ($0, String(decoding: $0.json, as: UTF8.self)) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  /// Redacted attributes by components, in order; also of each part of several contexts in one.
  static func normal(context: LDValue) -> LDValue {
    guard let object = context.object else { return context }
    return .object(
      LDObject(
        object.map { member in
          guard member.name == "_meta" else {
            let isPart = object["kind"]?.string == "multi" && member.value.object != nil
            return isPart ? LDObject.Member(name: member.name, value: normal(context: member.value)) : member
          }
          return LDObject.Member(name: member.name, value: mapped(member.value) { sorted(components($0)) })
        }))
  }

  private static func components(_ list: LDValue) -> LDValue {
    .array(
      (list.array ?? []).map { reference in
        reference.string.map { .array(AttributeReference($0).components.map { .string($0) }) } ?? reference
      })
  }
}
