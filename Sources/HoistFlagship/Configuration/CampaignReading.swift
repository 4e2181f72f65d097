internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Reads campaigns of the bucketing file and of the Decision API (3.2, 3.3), each element by itself: one that cannot be
/// read is left out, and said, and spoils no other.
struct CampaignReading {
  var bad: BadElements

  init(_ document: StaticString, _ log: Log?) { bad = BadElements(document, log) }

  /// A campaign of the bucketing file. Nil for what is none.
  mutating func bucketed(_ node: JSONNode, index: Int) -> CampaignDefinition? {
    guard let (campaign, place) = head(node, index) else { return nil }
    var definition = campaign
    for (index, group) in elements(node["variationGroups"], "variationGroups", place).enumerated() {
      guard let group = self.group(group, place, index) else { continue }
      definition.groups.append(group)
    }
    return definition
  }

  /// A campaign of a Decision API answer: decided, with one variation or none.
  mutating func decided(_ node: JSONNode, index: Int) -> CampaignDefinition? {
    guard let (campaign, place) = head(node, index) else { return nil }
    var definition = campaign
    guard let variation = node["variation"]?.unlessNull else { return definition }
    guard let group = text(node["variationGroupId"], "variationGroupId", place) else { return nil }
    guard let read = self.variation(variation, place, 0) else { return definition }
    let name = text(node["variationGroupName"], "variationGroupName", place) ?? .noBytes
    definition.groups = [GroupDefinition(id: group, name: name, audience: .decided, variations: [read])]
    return definition
  }

  /// What all campaigns begin with.
  private mutating func head(_ node: JSONNode, _ index: Int) -> (CampaignDefinition, ElementPlace)? {
    let place = ElementPlace().inside("campaign", node["id"]?.bytes ?? .noBytes, index)
    guard node.object != nil else { return leaveOut(place, "is no object") }
    guard let id = text(node["id"], "id", place) else { return nil }
    let definition = CampaignDefinition(
      id: id, name: text(node["name"], "name", place) ?? .noBytes, type: text(node["type"], "type", place) ?? .noBytes,
      slug: text(node["slug"], "slug", place) ?? .noBytes)
    return (definition, place)
  }

  private mutating func group(_ node: JSONNode, _ campaign: ElementPlace, _ index: Int) -> GroupDefinition? {
    let place = campaign.inside("group", node["id"]?.bytes ?? .noBytes, index)
    guard node.object != nil else { return leaveOut(place, "is no object") }
    guard let id = text(node["id"], "id", place) else { return nil }
    var group = GroupDefinition(
      id: id, name: text(node["name"], "name", place) ?? .noBytes, audience: audience(node["targeting"], place))
    for (index, variation) in elements(node["variations"], "variations", place).enumerated() {
      guard let variation = self.variation(variation, place, index) else { continue }
      group.variations.append(variation)
    }
    return group
  }

  private mutating func variation(_ node: JSONNode, _ outer: ElementPlace, _ index: Int) -> VariationDefinition? {
    let place = outer.inside("variation", node["id"]?.bytes ?? .noBytes, index)
    guard node.object != nil else { return leaveOut(place, "is no object") }
    guard let id = text(node["id"], "id", place) else { return nil }
    var variation = VariationDefinition(id: id, name: text(node["name"], "name", place) ?? .noBytes)
    if let reference = node["reference"]?.unlessNull {
      if reference.bool == nil { bad.note(place.text, "\"reference\" is neither true nor false, which counts as false") }
      variation.isReference = reference.bool ?? false
    }
    variation.allocation = allocation(node["allocation"], place)
    if let value = node["modifications"]?["value"]?.unlessNull {
      if value.object == nil { bad.note(place.text, "\"modifications.value\" is no object: it gives no flags") }
      variation.values = value.object == nil ? nil : value
    }
    return variation
  }

  /// Whole percents; anything else is taken for the nearest that makes sense.
  private mutating func allocation(_ node: JSONNode?, _ place: ElementPlace) -> UInt32 {
    guard let node = node?.unlessNull else { return 0 }
    guard let percent = node.double, percent == percent.rounded() else {
      bad.note(place.text, "\"allocation\" is no integer, which counts as 0")
      return 0
    }
    let cut = UInt32(min(max(percent, 0), 100))
    if percent < 0 || percent > 100 { bad.note(place.text, "\"allocation\" \(percent) is out of range, which counts as \(cut)") }
    return cut
  }
}

/// Targeting (4.3).
extension CampaignReading {
  private mutating func audience(_ node: JSONNode?, _ place: ElementPlace) -> GroupDefinition.Audience {
    guard let node = node?.unlessNull else { return .targeted([]) }
    guard node.object != nil else {
      bad.note(place.text, "\"targeting\" is no object: nobody matches")
      return .targeted([])
    }
    var groups: [[TargetingDefinition]] = []
    for (index, group) in elements(node["targetingGroups"], "targetingGroups", place).enumerated() {
      let inner = place.inside("targeting group", .noBytes, index)
      guard group.object != nil, let list = group["targetings"], list.array != nil else {
        bad.note(inner.text, "has no list of targetings: it matches nobody")
        continue
      }
      groups.append(elements(list, "targetings", inner).enumerated().map { targeting($1, inner, $0) })
    }
    return .targeted(groups)
  }

  private mutating func targeting(_ node: JSONNode, _ group: ElementPlace, _ index: Int) -> TargetingDefinition {
    let place = group.inside("targeting", node["key"]?.bytes ?? .noBytes, index)
    var targeting = TargetingDefinition()
    guard node.object != nil, let key = node["key"]?.bytes else {
      bad.note(place.text, "has no key: it never holds")
      return targeting
    }
    targeting.key = key
    targeting.name = node["operator"]?.bytes ?? .noBytes
    targeting.value = node["value"]
    if key.reads("fs_all_users") { return targeting }
    guard let test = TargetingTest(targeting.name) else {
      bad.note(
        place.text,
        "operator \"\(String(decoding: targeting.name.view(from: 0, to: 64), as: UTF8.self))\" is not known: it never holds")
      return targeting
    }
    let isPresence = test == .present || test == .absent
    guard isPresence || targeting.value?.isComparable ?? false else {
      bad.note(place.text, "\"value\" is nothing to compare with: it never holds")
      return targeting
    }
    targeting.test = test
    return targeting
  }
}

extension CampaignReading {
  /// A text, no bytes where there is none.
  /// - Returns: nil for another type, which is noted.
  private mutating func text(_ node: JSONNode?, _ name: StaticString, _ place: ElementPlace) -> ByteView? {
    guard let node = node?.unlessNull else { return .noBytes }
    guard let bytes = node.bytes else { return leaveOut(place, "\"\(name)\" is no text") }
    return bytes
  }

  private mutating func leaveOut<Value>(_ place: ElementPlace, _ problem: String) -> Value? {
    bad.note(place.text, problem)
    return nil
  }

  /// Nothing for what is no array.
  private mutating func elements(_ node: JSONNode?, _ name: StaticString, _ place: ElementPlace) -> [JSONNode] {
    guard let node = node?.unlessNull else { return [] }
    guard let array = node.array else {
      bad.note(place.text, "\"\(name)\" is no array")
      return []
    }
    return Array(array)
  }
}

extension JSONNode {
  /// A scalar or an array.
  fileprivate var isComparable: Bool {
    switch kind {
    case .null, .object: false
    case .bool, .int, .double, .string, .array: true
    }
  }
}
