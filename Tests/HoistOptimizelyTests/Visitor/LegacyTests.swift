import HoistBase
import HoistCore
import Testing

@testable import HoistOptimizely

@Suite("Forced variations, and the calls that came before users") struct LegacyTests {
  @Test("A forced variation holds across datafiles until it is taken back (OPT-66; ready)") func forcedVariations() throws {
    let rig = try UserRig()
    func force(_ variation: String?) -> Bool {
      rig.face.setForcedVariation(bytes("key-e"), user: bytes("u1"), variation.map { bytes($0) })
    }
    #expect(!force("nobody") && !force(" ") && force(" on-e "))
    #expect(!rig.face.setForcedVariation(bytes("nobody"), user: bytes("u1"), nil))
    #expect(rig.face.forcedVariation(bytes("key-e"), user: bytes("u1")) == bytes("on-e"))
    // The user does not meet the audience.
    #expect(try rig.user().decide("shop").rule == "key-e" && rig.user("u2").decide("shop").rule == "key-d")
    rig.client.publish(try OptimizelyDatafile.compile(TwoRules.datafile(revision: "8")), changed: [])
    #expect(try rig.user().decide("shop").rule == "key-e")
    #expect(force(nil) && force(nil))
    #expect(try rig.user().decide("shop").rule == "key-d" && rig.face.forcedVariation(bytes("key-e"), user: bytes("u1")) == nil)
  }

  @Test("Forced variations are bounded (G5)") func boundedForcedVariations() {
    let forced = ForcedVariations()
    let assignment = SubjectContent.Assignment(experimentID: [1], variationID: [2])
    for number in 0..<ForcedVariations.maximumUsers { #expect("\(number)".withBytes { forced.set(assignment, for: $0) }) }
    #expect(!"one more".withBytes { forced.set(assignment, for: $0) } && "7".withBytes { forced.set(assignment, for: $0) })
    "7".withBytes { forced.remove(experimentID: [1], for: $0) }
    #expect("one more".withBytes { forced.set(assignment, for: $0) })
  }

  @Test("activate, getVariationKey, isFeatureEnabled, variables, getEnabledFeatures (OPT-77; ready)") func calls() throws {
    let rig = try UserRig()
    let german = visitor("u1", ["country": .string(bytes("de"))])
    func variation(_ key: String, _ user: EvaluationContext?, activates: Bool) -> Result<String, Status> {
      key.withBytes { rig.face.variation($0, user, activates: activates) }.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(variation("key-e", german, activates: false) == .success("on-e") && rig.recorded == 0)
    #expect(variation("key-e", german, activates: true) == .success("on-e") && rig.recorded == 1)
    #expect(variation("nobody", german, activates: true) == .failure(.optimizelyExperimentKeyInvalid))
    #expect(variation("key-e", visitor(), activates: true) == .failure(.optimizelyVariationUnknown))
    #expect(variation("key-e", EvaluationContext(), activates: true) == .failure(.optimizelyUserIDInvalid))
    #expect(
      "shop".withBytes { rig.face.isFeatureEnabled($0, german) } && !"nobody".withBytes { rig.face.isFeatureEnabled($0, german) })
    #expect(rig.recorded == 2)
    #expect((try? rig.face.enabledFeatures(german).get()).map { String(decoding: $0, as: UTF8.self) } == #"["shop","other"]"#)
    #expect((try? "shop".withBytes { rig.face.variables(of: $0, german) }.get())?.isEmpty == false)
    func value(_ flag: String, _ key: String, _ type: OptimizelyVariableType) -> Result<String, Status> {
      flag.withBytes { flag in
        key.withBytes { rig.face.variable($0, of: flag, as: type, german) { String(decoding: $0.json, as: UTF8.self) } }
      }
    }
    #expect(value("shop", "color", .string) == .success("\"blue\"") && value("shop", "size", .integer) == .success("3"))
    #expect(value("shop", "size", .double) == .failure(.optimizelyVariableValueInvalid))
    #expect(value("shop", "x", .double) == .failure(.optimizelyVariableKeyInvalid))
    #expect(value("x", "size", .double) == .failure(.optimizelyFeatureKeyInvalid))
    #expect("buy".withBytes { rig.face.track($0, german, tags: nil) } == .ok)
    #expect("buy".withBytes { rig.face.track($0, nil, tags: nil) } == .optimizelyUserIDInvalid)
    let early = try UserRig(nil)
    #expect("key-e".withBytes { early.face.variation($0, german, activates: false) } == .failure(.optimizelySDKNotReady))
    #expect("buy".withBytes { early.face.track($0, german, tags: nil) } == .optimizelySDKNotReady)
  }
}
