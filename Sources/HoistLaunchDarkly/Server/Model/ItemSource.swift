internal import HoistBase
internal import HoistCore

/// An item as it was sent, packed.
struct ItemSource: BitwiseCopyable {
  var packed: TextReference

  static let none = ItemSource(packed: .none)

  /// What flags and segments have in common.
  static let sample: StaticString = """
    "includedContexts":[{"contextKind":"user","values":[""]}],"excludedContexts":[],"unbounded":false,"generation":1,\
    "weight":100000},{"key":"","version":1,"included":[],"excluded":[],"salt":"","op":"segmentMatch","op":"startsWith",\
    "deleted":false,"trackEvents":false,"trackEventsFallthrough":false,"debugEventsUntilDate":null,"clientSide":false,\
    "clientSideAvailability":{"usingMobileKey":false,"usingEnvironmentId":false},"prerequisites":[],"targets":[],\
    "contextTargets":[],"bucketBy":"key","kind":"experiment","seed":1,"untracked":true,"version":1,"on":true,"salt":"",\
    "variations":[true,false],"offVariation":1,"fallthrough":{"variation":1},"rules":[{"id":"rule-0","clauses":[\
    {"contextKind":"user","attribute":"country","op":"in","values":["pro"],"negate":false}],"variation":0},\
    {"id":"rule-1","clauses":[{"contextKind":"user","attribute":"age","op":"greaterThanOrEqual","values":[18],"negate":false}],\
    "rollout":{"variations":[{"variation":0,"weight":50000},{"variation":1,"weight":50000}]}}]}
    """

  func text(_ base: UnsafeRawPointer) -> [UInt8] { TextPacker.unpack(packed.bytes(base), sample: Self.sample) }
}
