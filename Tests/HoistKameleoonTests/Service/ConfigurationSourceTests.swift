import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("The configuration is fetched, kept and polled (protocols/kameleoon.md 2.2, 4.2)")
struct ConfigurationSourceTests {
  private let minute: Int64 = 60_000

  @Test("A client opens at once and not ready; the first configuration makes it ready (KAM-09, KAM-15, KAM-17; starting)")
  func firstFetch() throws {
    let rig = try KameleoonRig(["site_code": "a8st4f59bj"], configuration: nil)
    #expect(!rig.face.isReady)
    #expect(rig.client.state == .notReady)
    let request = try #require(rig.fetches.first)
    #expect(request.method == "GET")
    #expect(request.url == "https://sdk-config.kameleoon.eu/v3/a8st4f59bj")
    #expect(request.headers.value(of: "X-Kameleoon-SDK-Type") == "SWIFT")
    #expect(request.headers.value(of: "X-Kameleoon-SDK-Version") == "4.25.0")
    #expect(request.headers.value(of: "If-Modified-Since") == nil)
    #expect(request.headers.value(of: "Authorization") == nil)
    rig.answerFetch()
    #expect(rig.face.isReady)
    #expect(rig.client.state == .ready)
  }

  @Test("The environment is asked for when it is named, and nothing is when it is not (KAM-06, A10; starting)")
  func environment() throws {
    #expect(try KameleoonRig(configuration: nil).fetches.first?.url == "https://sdk-config.kameleoon.eu/v3/site")
    let rig = try KameleoonRig(["environment": "dev & qa"], configuration: nil)
    #expect(rig.fetches.first?.url == "https://sdk-config.kameleoon.eu/v3/site?environment=dev%20%26%20qa")
  }

  @Test("The timeout of the configuration's requests is the client's (KAM-04; starting)")
  func timeouts() throws {
    #expect(try KameleoonRig(configuration: nil).fetches.first?.timeoutMilliseconds == 10_000)
    #expect(
      try KameleoonRig(["default_timeout_millisecond": "250"], configuration: nil).fetches.first?.timeoutMilliseconds == 250)
    let rig = try KameleoonRig(["default_timeout_millisecond": "0"], configuration: nil)
    #expect(rig.fetches.first?.timeoutMilliseconds == 10_000)
    #expect(rig.logged("default_timeout_millisecond 0 is not above 0") == 1)
  }

  @Test("The next fetch comes after the refresh interval and asks for changes only (KAM-02, KAM-16, KAM-B09; ready)")
  func polling() throws {
    let rig = try KameleoonRig(["refresh_interval_minute": "15"], configuration: nil)
    rig.answerFetch()
    rig.scheduler.advance(milliseconds: 15 * minute - 1)
    #expect(rig.fetches.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.fetches.count == 2)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
    rig.answerFetch(answer(304))
    #expect(rig.client.state == .ready)
    rig.scheduler.advance(milliseconds: 15 * minute)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("f2"), nil))
    rig.scheduler.advance(milliseconds: 15 * minute)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == nil)
  }

  @Test("Without an interval it is an hour, also for one that is not above 0 (KAM-02; ready)", arguments: [nil, "0", "-5"])
  func intervalByDefault(_ interval: String?) throws {
    let rig = try KameleoonRig(interval.map { ["refresh_interval_minute": $0] } ?? [:], configuration: nil)
    rig.answerFetch()
    rig.scheduler.advance(milliseconds: 60 * minute - 1)
    #expect(rig.fetches.count == 1)
    rig.scheduler.advance(milliseconds: 1)
    #expect(rig.fetches.count == 2)
    #expect((rig.logged("refresh_interval_minute") > 0) == (interval != nil))
  }

  @Test("After no answer and an unexpected status there is one more try at once, and no third", arguments: [0, 500, 404, 503])
  func secondTry(status: Int) throws {
    let rig = try KameleoonRig(configuration: nil) { _ in status == 0 ? noAnswer : answer(status) }
    #expect(rig.fetches.count == 2)
    #expect(!rig.face.isReady)
    #expect(rig.client.state == .error)
  }

  @Test("403 makes nobody ready, is not tried at once again, and leaves what is served (A9)")
  func forbidden() throws {
    let rig = try KameleoonRig(configuration: nil) { _ in answer(403) }
    #expect(rig.fetches.count == 1)
    #expect(!rig.face.isReady)
    rig.transport.setResponder { _ in SiteAnswers.answer() }
    rig.scheduler.advance(milliseconds: 5 * minute)
    #expect(rig.face.isReady)
    rig.transport.setResponder { _ in answer(403) }
    rig.scheduler.advance(milliseconds: 60 * minute)
    #expect(rig.client.state == .stale)
    #expect(rig.face.isReady)
  }

  @Test("With strict_vendor, 403 is an empty configuration, as the vendor has it (A9)")
  func forbiddenByTheVendor() throws {
    let rig = try KameleoonRig(["strict_vendor": "true"], configuration: nil) { _ in answer(403) }
    #expect(rig.face.isReady)
  }

  @Test("A body that is no configuration changes nothing, and its date is not remembered (KAM-16, G3; failing)")
  func brokenBody() throws {
    let rig = try KameleoonRig(configuration: nil)
    rig.answerFetch()
    rig.scheduler.advance(milliseconds: 60 * minute)
    rig.answerFetch(SiteAnswers.answer("{\"featureFlags\":", SiteAnswers.tuesday))
    #expect(rig.fetches.count == 2)
    #expect(rig.client.state == .stale)
    rig.scheduler.advance(milliseconds: 60 * minute)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
  }

  @Test("Ready, the service answers with an empty object: that is no configuration, and the served one goes on (2.2, contract 1)")
  func emptyObject() throws {
    let store = MemoryCacheManager()
    let rig = try KameleoonRig(["store": "memory"], configuration: nil, cacheManager: store)
    rig.settle { !rig.fetches.isEmpty }
    rig.answerFetch()
    rig.settle { store.load(key: "configuration") != nil }
    rig.scheduler.advance(milliseconds: 60 * minute)
    rig.answerFetch(SiteAnswers.answer("{}", SiteAnswers.tuesday))
    #expect(rig.client.state == .stale && rig.serves("f1"))
    #expect(rig.logged("it is an object, but no configuration") == 1)
    #expect(store.load(key: "configuration").map { text($0) }?.contains("f1") == true)
    rig.scheduler.advance(milliseconds: 60 * minute)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
  }

  @Test(
    "Starting, the service answers with an empty object: the client is not ready, and tries again (KAM-15; starting, failing)")
  func emptyObjectFirst() throws {
    let rig = try KameleoonRig(configuration: nil)
    rig.answerFetch(SiteAnswers.answer("{}"))
    #expect(!rig.face.isReady && rig.client.state == .error)
    rig.scheduler.advance(milliseconds: 5 * minute)
    rig.answerFetch()
    #expect(rig.face.isReady)
  }

  @Test("A client without a configuration tries again after seconds, not after the interval, and ever more rarely")
  func impatience() throws {
    let rig = try KameleoonRig(configuration: nil) { _ in noAnswer }
    #expect(rig.fetches.count == 2)
    rig.scheduler.advance(milliseconds: 3000)
    #expect(rig.fetches.count == 4)
    rig.scheduler.advance(milliseconds: 60 * minute)
    // Pauses grow to five minutes, of which chance may take a half.
    #expect(rig.fetches.count <= 4 + 2 * (7 + 2 * 12))
    #expect(rig.fetches.count >= 4 + 2 * 12)
    #expect(rig.logged("no answer") > 1)
    #expect(rig.log.messages(.warning).count { $0.contains("no answer") } == 1)
  }

  @Test("The host's own addresses stand in for the service's")
  func addresses() throws {
    let rig = try KameleoonRig(["configuration.url": "http://127.0.0.1:81/c/"], configuration: nil)
    #expect(rig.fetches.first?.url == "http://127.0.0.1:81/c/v3/site")
    #expect(throws: ConfigurationFailure.self) { try KameleoonRig(["data.url": "not a url"]) }
  }

  @Test("An address may be given with the path that is added to it", arguments: ["c", "c/", "c/v3", "c/v3/"])
  func addressWithPath(_ path: String) throws {
    let rig = try KameleoonRig(["configuration.url": "http://127.0.0.1:81/\(path)"], configuration: nil)
    #expect(rig.fetches.first?.url == "http://127.0.0.1:81/c/v3/site")
    let base = "http://127.0.0.1:81"
    let others = try KameleoonRig(["stream.url": "\(base)/sse", "token.url": "\(base)/oauth/token/", "data.url": "\(base)/v3"])
    #expect(others.provider.addresses.stream == "\(base)/sse?siteCode=site")
    #expect(others.provider.addresses.token.hasPrefix("\(base)/oauth/token?"))
    #expect(others.provider.addresses.visitorData.hasPrefix("\(base)/v3/visit/visitor?"))
  }

  // MARK: What is kept

  @Test(
    "A client that has fetched once works without the service: it is ready with what was kept (KAM-76, G3; starting, failing)")
  func offlineStart() throws {
    let store = MemoryCacheManager()
    let first = try KameleoonRig(["store": "memory"], configuration: nil, cacheManager: store)
    first.settle { !first.fetches.isEmpty }
    first.answerFetch()
    #expect(first.settle { store.load(key: "configuration") != nil })

    let second = try KameleoonRig(["store": "memory"], configuration: nil, cacheManager: store) { _ in noAnswer }
    #expect(second.settle { second.face.isReady })
    #expect(second.settle { second.fetches.count >= 2 })
    #expect(second.fetches.first?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
    #expect(second.settle { second.client.state == .stale })
  }

  @Test(
    "The default data file serves when nothing is kept, or when it is newer; without a date it never wins (KAM-B11; starting)",
    arguments: [
      (kept: nil, given: nil, served: "given"), (kept: nil, given: 5, served: "given"), (kept: 5, given: nil, served: "kept"),
      (kept: 5, given: 6, served: "given"), (kept: 5, given: 5, served: "kept"), (kept: 6, given: 5, served: "kept"),
      (kept: -1, given: nil, served: "kept"),
    ] as [(kept: Int64?, given: Int64?, served: String)])
  func defaultDataFile(kept: Int64?, given: Int64?, served: String) throws {
    let store = MemoryCacheManager()
    if let kept {
      let first = try KameleoonRig(["store": "memory"], configuration: nil, cacheManager: store)
      first.settle { !first.fetches.isEmpty }
      first.answerFetch(SiteAnswers.answer(SiteAnswers.configuration("kept", dateModified: kept < 0 ? nil : kept)))
      #expect(first.settle { store.load(key: "configuration") != nil })
    }
    let file = SiteAnswers.configuration("given", dateModified: given)
    let rig = try KameleoonRig(["store": "memory"], configuration: file, cacheManager: store)
    #expect(rig.settle { rig.face.isReady && !rig.fetches.isEmpty })
    // The kept date would have the service say that nothing has changed, which is true of the kept one alone.
    #expect((rig.fetches.first?.headers.value(of: "If-Modified-Since") != nil) == (served == "kept"))
  }

  @Test("A default data file that is none is told of, and is as if there were none (KAM-B11; starting)", arguments: ["[]", "{}"])
  func brokenDefault(_ file: String) throws {
    let rig = try KameleoonRig(configuration: file)
    #expect(!rig.face.isReady)
    #expect(rig.logged("the given document is left aside") == 1)
    let missing = try KameleoonRig(["default_datafile.file": "/nowhere/at/all.json"], configuration: nil)
    #expect(missing.logged("default_datafile.file") == 1)
  }

  // MARK: Where data goes

  @Test("A configuration says where data goes from then on; an empty one changes nothing (2.1)")
  func dataDomain() throws {
    let rig = try KameleoonRig(configuration: nil)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(domain: "eu-data.kameleoon.io")))
    #expect(rig.provider.addresses.tracking.hasPrefix("https://eu-data.kameleoon.io/visit/events?"))
    rig.scheduler.advance(milliseconds: 60 * minute)
    rig.answerFetch(SiteAnswers.answer())
    #expect(rig.provider.addresses.tracking.hasPrefix("https://eu-data.kameleoon.io/visit/events?"))
    rig.scheduler.advance(milliseconds: 60 * minute)
    rig.answerFetch(SiteAnswers.answer(SiteAnswers.configuration(domain: "evil.com/path?")))
    #expect(rig.provider.addresses.tracking.hasPrefix("https://eu-data.kameleoon.io/visit/events?"))
    #expect(rig.logged("dataApiDomain") == 1)
  }

  @Test("A forked child, a stop and a new start begin with what is served, and fetch")
  func restart() throws {
    let rig = try KameleoonRig(configuration: nil)
    rig.answerFetch()
    rig.provider.stop()
    rig.provider.start()
    rig.scheduler.run()
    #expect(rig.face.isReady)
    #expect(rig.fetches.count == 2)
    #expect(rig.fetches.last?.headers.value(of: "If-Modified-Since") == SiteAnswers.monday)
  }
}
