import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport
import Testing

@testable import HoistOptimizely

@Suite("The core's calls know of a user what decide knows (contract 4, 4.5, 4.6)") struct CoreCallTests {
  /// A client whose datafile gives everybody variation "one".
  private func rig(_ properties: [String: String] = [:], profiles: ProfileTests.Service? = nil) throws -> OptimizelyRig {
    var plugins = Plugins()
    if let profiles { plugins.vendor[OptimizelyPlugins.profileService] = profiles }
    let rig = try OptimizelyRig(["events.batch_size": "1"].merging(properties) { $1 }, plugins: plugins) { _ in .status(204) }
    give(1, to: rig)
    return rig
  }

  /// Everybody who is new gets this variation from now on.
  private func give(_ variation: Int, to rig: OptimizelyRig) {
    #expect(rig.start(ProfileTests.datafile(variation), .noBackgroundFetch).hasSucceeded)
  }

  private func decide(_ rig: OptimizelyRig, _ user: String = "u1") -> String? {
    rig.face.user(bytes(user), attributes: nil)?.decide("a").variation
  }

  /// By the path that most calls take, and by the one that tells of details.
  private func call(_ rig: OptimizelyRig, _ user: String = "u1") -> [String?] {
    let context = EvaluationContext(targetingKey: user)
    let hold = context.reference()
    defer { withExtendedLifetime(hold) {} }
    func variation(_ evaluation: borrowing Evaluation) -> String? { evaluation.kind == .string ? text(evaluation.text) : nil }
    return "a".withBytes { key in
      [
        HotPath.evaluate(rig.client.hot, key, context.subject, .string) { variation($0) } ?? nil,
        rig.client.evaluate(key, context.subject, .string, [.counted, .detailed]) { evaluation, _ in variation(evaluation) },
      ]
    }
  }

  /// What was reported so far: what stands in events beside the time and the id.
  private func reports(_ rig: OptimizelyRig) -> [String] {
    rig.scheduler.run()
    return rig.posts.compactMap { post in
      (try? JSONDocument(parsing: post.body ?? []))?.withRoot { root in
        let snapshot = root["visitors"]?.array?.first?["snapshots"]?.array?.first
        return (snapshot?["decisions"]).flatMap { try? $0.text() }.map { String(decoding: $0, as: UTF8.self) }
      } ?? nil
    }
  }

  @Test("Who is in a variation stays in it, and is reported so") func keptProfiles() throws {
    let rig = try rig()
    #expect(decide(rig) == "one")
    give(2, to: rig)
    #expect(decide(rig) == "one" && call(rig) == ["one", "one"])
    #expect(Set(reports(rig)).count == 1 && reports(rig).count == 4)
    let context = EvaluationContext(targetingKey: "u1")
    let all = String(decoding: rig.client.allFlags(context.subject), as: UTF8.self)
    #expect(all.contains(#""variation":"one""#))
  }

  @Test("What a call of the core has given a user stays, too") func callsOfTheCoreAreRemembered() throws {
    let rig = try rig()
    #expect(call(rig) == ["one", "one"] && call(rig, "u2") == ["one", "one"])
    give(2, to: rig)
    #expect(decide(rig) == "one" && decide(rig, "u2") == "one" && decide(rig, "u3") == "two")
  }

  @Test("Explanations go by it") func explanations() throws {
    let rig = try rig()
    _ = decide(rig)
    give(2, to: rig)
    let context = EvaluationContext(targetingKey: "u1")
    let told = "a".withBytes { key in
      rig.client.evaluate(key, context.subject, .any, [.explained, .detailed]) { _, detail in detail().json() }
    }
    #expect(String(decoding: told, as: UTF8.self).contains(#""variation":"one""#))
  }

  @Test("Forced variations hold (OPT-66; ready)") func forcedVariations() throws {
    let rig = try rig(["user_profiles": "false"])
    #expect(rig.face.setForcedVariation(bytes("test"), user: bytes("u1"), bytes("two")))
    #expect(decide(rig) == "two" && call(rig) == ["two", "two"] && call(rig, "u2") == ["one", "one"])
    #expect(Set(reports(rig).prefix(3)).count == 1)
    #expect(rig.face.setForcedVariation(bytes("test"), user: bytes("u1"), nil))
    #expect(call(rig) == ["one", "one"])
  }

  @Test("The host's service is asked before each call, and saves once after it") func hostsService() throws {
    let service = ProfileTests.Service(.none)
    let first = try rig(profiles: service)
    #expect(call(first) == [nil, "one"])
    let saved = #"save {"user_id":"u1","experiment_bucket_map":{"20":{"variation_id":"31"}}}"#
    #expect(service.all == ["look up u1", saved])
    let knowing = ProfileTests.Service(.profile(bytes(#"{"experiment_bucket_map":{"20":{"variation_id":"32"}}}"#)))
    let second = try rig(profiles: knowing)
    #expect(call(second) == [nil, "two"] && decide(second) == "two")
    #expect(Set(reports(second)).count == 1)
    let context = EvaluationContext(targetingKey: "u1")
    #expect(String(decoding: second.client.allFlags(context.subject), as: UTF8.self).contains(#""variation":"two""#))
    #expect(knowing.all == ["look up u1", "look up u1", "look up u1"])
  }

  @Test("A forced variation goes before what the host's service says") func forcedBeforeService() throws {
    let service = ProfileTests.Service(.profile(bytes(#"{"experiment_bucket_map":{"20":{"variation_id":"32"}}}"#)))
    let rig = try rig(profiles: service)
    #expect(rig.face.setForcedVariation(bytes("test"), user: bytes("u1"), bytes("one")))
    #expect(call(rig) == [nil, "one"] && decide(rig) == "one")
  }

  @Test("A view asks the host's service once, and not after the close") func views() throws {
    let service = ProfileTests.Service(.none)
    let rig = try rig(profiles: service)
    let context = EvaluationContext(targetingKey: "u1")
    let view = FlagView(rig.client, context.reference())
    for _ in 0..<2 { #expect("a".withBytes { view.evaluate($0, .string) { text($0.text) } } == "one") }
    #expect(service.all.map { String($0.prefix(4)) } == ["look", "save"])
    let late = FlagView(rig.client, context.reference())
    #expect(rig.scheduler.turning { rig.client.close(timeoutMilliseconds: 1_000) } == .ok)
    #expect("a".withBytes { late.evaluate($0, .string) { text($0.text) } } == "one")
    #expect(service.all.count == 3)
  }

  @Test("What a view decides after the close takes the same room however often it is read (OPT-05; closed)")
  func viewsAfterTheClose() throws {
    let service = ProfileTests.Service(.none)
    let rig = try rig(profiles: service)
    let context = EvaluationContext(targetingKey: "u1")
    let user = RecalledUser(try #require(context.reference()), rig.provider.profiles)
    let assignments = ["1", "2"].map { SubjectContent.Assignment(experimentID: bytes($0), variationID: bytes("7")) }
    for _ in 0..<100 { for assignment in assignments { user.remember(assignment) } }
    #expect(user.new == assignments)
  }

  @Test("What the service could not look up is not saved over. State: the service fails") func failingService() throws {
    let service = ProfileTests.Service(.failed)
    let rig = try rig(profiles: service)
    #expect(call(rig) == [nil, "one"] && service.all == ["look up u1"])
  }

  @Test("Default options of decide calls about profiles and events hold (OPT-09; ready)") func defaultOptions() throws {
    let service = ProfileTests.Service(.profile(bytes(#"{"experiment_bucket_map":{"20":{"variation_id":"32"}}}"#)))
    let rig = try rig(["decide_options": #"["IGNORE_USER_PROFILE_SERVICE","DISABLE_DECISION_EVENT"]"#], profiles: service)
    #expect(decide(rig) == "one" && call(rig) == ["one", "one"])
    #expect(service.all.isEmpty && reports(rig).isEmpty)
  }
}
