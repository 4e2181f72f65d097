import HoistBase
import HoistCore
import HoistOptimizely
import Testing

@Suite("What is stored of visitors") struct VisitorTests {
  @Test func profilesKeepWhatTheyDoNotUnderstand() {
    // (OPT-05; no client)
    let stored =
      #"{"user_id":"old","extra":{"a":1},"experiment_bucket_map":{"1":{"variation_id":"11","x":2},"2":{"variation_id":5}}}"#
    let profile = UserProfile(userID: Array("u".utf8), json: Array(stored.utf8))
    #expect(profile.assignments == [.init(experimentID: [0x31], variationID: Array("11".utf8))])
    #expect(profile.adding([]) == nil)
    let saved = profile.adding([.init(experimentID: [0x32], variationID: Array("21".utf8))])
    #expect(
      saved.map { String(decoding: $0, as: UTF8.self) }
        == #"{"user_id":"u","extra":{"a":1},"experiment_bucket_map":{"1":{"variation_id":"11","x":2},"2":{"variation_id":"21"}}}"#
    )
  }

  @Test(arguments: ["", "[]", "{", #"{"experiment_bucket_map":7}"#])
  func damagedProfilesBeginAnew(_ stored: String) {
    let profile = UserProfile(userID: Array("u".utf8), json: Array(stored.utf8))
    #expect(profile.assignments.isEmpty)
    let saved = profile.adding([.init(experimentID: [0x32], variationID: [0x33])])
    #expect(
      saved.map { String(decoding: $0, as: UTF8.self) } == #"{"user_id":"u","experiment_bucket_map":{"2":{"variation_id":"3"}}}"#)
  }

  @Test func pathsLeadIntoVariables() {
    // (OPT-71; no client)
    let json = OptimizelyJSON(#"{"a":{"b":[1,2.0]},"":{"":7}}"#)
    func value(_ path: String) -> String? { json?.value(atPath: path).map { String(decoding: $0, as: UTF8.self) } }
    #expect(value("a.b") == "[1,2.0]")
    #expect(value("a.b.c") == nil)
    #expect(value("") == #"{"a":{"b":[1,2.0]},"":{"":7}}"#)
    #expect(value(".") == "7")
    #expect(OptimizelyJSON("[]") == nil)
  }

  @Test func vuidsAreRecognised() {
    #expect(VUID.isOne(Array("VuId_1".utf8)))
    #expect(!VUID.isOne(Array("vuid".utf8)))
  }
}
