import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite("The sites of a process")
struct KameleoonSitesTests {
  private let clients = SharedClients()
  private var sites: KameleoonSites { KameleoonSites(clients) }
  private let log = RecordingLogSink()
  private let scheduler = ManualScheduler()
  private let transport: ScriptedTransport

  init() { transport = ScriptedTransport(scheduler: scheduler) }

  private func create(
    _ site: String, _ code: String?, _ properties: [String: String] = [:], isGiven: Bool = true
  ) throws -> KameleoonVisitor {
    let transport = transport
    let services = ClientServices(
      scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 7), regex: nil, makeTransport: { _ in transport },
      makeCacheManager: { _ in nil }, defaultLogSink: log)
    var values = PropertyValues(table: CoreProperties.table + KameleoonFactory().properties)
    for (name, value) in ["dispatch": "manual", "store": "none"].merging(properties, uniquingKeysWith: { $1 }) {
      try values.set(name, value)
    }
    return try sites.create(
      siteCode: site, visitorCode: code.map { Array($0.utf8) }, values: values, isGiven: isGiven, plugins: Plugins(),
      services: services)
  }

  private func refusal(_ site: String, _ code: String?) -> Status? {
    do {
      _ = try create(site, code)
      return nil
    } catch {
      return (error as? KameleoonCreationFailure)?.status
    }
  }

  @Test("Making a visitor returns at once, and it is not ready (KAM-09, KAM-15; starting)")
  func create() throws {
    let visitor = try create("site", "user")
    #expect(visitor.code == Array("user".utf8))
    let client = try #require(visitor.client)
    #expect(KameleoonFace(client)?.isReady == false)
    scheduler.run()
    #expect(transport.requests.count == 1)
  }

  @Test("An empty site code is refused (KAM-10; before start)")
  func siteCode() { #expect(refusal("", "user") == .kameleoonSiteCodeIsEmpty) }

  @Test("An empty visitor code, and one of more than 255 characters, are refused (KAM-11; before start)")
  func visitorCode() {
    #expect(refusal("site", "") == .kameleoonVisitorCodeInvalid)
    #expect(refusal("site", String(repeating: "é", count: 256)) == .kameleoonVisitorCodeInvalid)
    #expect(refusal("site", String(repeating: "é", count: 255)) == nil)
  }

  @Test("Without a visitor code one is generated, and is everybody's who names none (KAM-12; starting)")
  func generatedCode() throws {
    let first = try create("site", nil)
    #expect(first.code.count == 16)
    #expect(try create("site", nil).code == first.code)
  }

  @Test("One visitor of a site, a code and an environment, one client of a site and an environment (KAM-14; starting)")
  func identity() throws {
    let user = try create("site", "user")
    #expect(try create("site", "user") === user)
    let other = try create("site", "other")
    #expect(other !== user)
    #expect(other.client === user.client)
    #expect(try create("site", "user", ["environment": "production"]) === user)
    #expect(try create("site", "user", ["environment": "staging"]).client !== user.client)
    #expect(try create("elsewhere", "user").client !== user.client)
  }

  @Test("The first configuration of a site counts; another one is told of (KAM-14; starting)")
  func firstConfiguration() throws {
    let user = try create("site", "user", ["refresh_interval_minute": "5"])
    let again = try create("site", "user", ["refresh_interval_minute": "6"])
    #expect(again === user)
    let client = try #require(again.client)
    #expect(client.values.integer("refresh_interval_minute") == 5)
    scheduler.run()
    _ = client.dispatch(limit: 100)
    #expect(log.lines.count { $0.message.contains("\"refresh_interval_minute\" of this one says something else") } == 1)
  }

  @Test("Whether a code is a unique identifier is each visitor's own (KAM-07, KAM-67; starting)")
  func uniqueness() throws {
    #expect(try create("site", "a").isUnique == false)
    #expect(try create("site", "b", ["is_unique_identifier": "true"]).isUnique)
    #expect(try create("site", "a").isUnique == false)
  }

  @Test("What the site's first one says of its code holds for it alone (KAM-07; starting)")
  func uniquenessOfTheFirst() throws {
    let properties = ["is_unique_identifier": "true"]
    let user = try create("site", "user", properties)
    #expect(user.isUnique)
    #expect(try !create("site", "anonymous").isUnique)
    let client = try #require(user.client)
    #expect(try KameleoonFace(client)?.visitor(bytes("third")).isUnique == false)
    // A configuration file's word counts for whoever is created with it.
    #expect(try create("files", "user", properties, isGiven: false).isUnique)
    #expect(try create("files", "other", properties, isGiven: false).isUnique)
    #expect(try !create("files", "third", isGiven: false).isUnique)
  }

  @Test("A site that is forgotten is closed; its visitors are not ready, and the next one is new (KAM-B28; closed)")
  func forget() throws {
    let user = try create("site", "user")
    let client = try #require(user.client)
    #expect(sites.forget(siteCode: "site", environment: "staging", timeoutMilliseconds: 0) == .notFound)
    #expect(sites.forget(siteCode: "site", environment: "", timeoutMilliseconds: 0) != .notFound)
    #expect(client.state == .closed)
    #expect(sites.forget(siteCode: "site", environment: "", timeoutMilliseconds: 0) == .notFound)
    let next = try create("site", "user")
    #expect(next !== user)
    #expect(next.client !== client)
  }

  @Test("The client of a site is shared by name, which no host gives or takes (KAM-14; second client)")
  func names() throws {
    let (client, name) = (try #require(try create("site", "user").client), bytes("kameleoon/site/production"))
    #expect(clients.lend(named: name) === client)
    let own = try KameleoonRig()
    #expect(clients.share(own.client, as: name) == .argument && clients.unshare(name) == .argument)
    #expect(clients.share(client, as: bytes("a/b")) == .argument)
    #expect(clients.lend(named: name) === client && clients.share(client, as: bytes("mine")) == .ok)
  }

  @Test("A property that is wrong is named (KAM-13; before start)")
  func wrongProperty() {
    #expect { _ = try create("site", "user", ["data.url": "nowhere"]) } throws: { error in
      let failure = error as? KameleoonCreationFailure
      return failure?.status == .configuration && failure?.message.contains("data.url") == true
    }
  }

  @Test("Which lines are written can be changed at any time, each level with those before it (KAM-71, KAM-72; starting)")
  func logLevels() throws {
    let client = try #require(try create("site", "user").client)
    #expect(client.logLevel == .warning)
    func heard(_ round: Int) -> [LogLevel] {
      client.log.error("round \(round)")
      client.log.warning("round \(round)")
      client.log.info("round \(round)")
      client.log.debug("round \(round)")
      _ = client.dispatch(limit: 100)
      return log.lines.filter { $0.message.hasSuffix("round \(round)") }.map(\.level)
    }
    #expect(heard(1) == [.error, .warning])
    client.logLevel = .debug
    #expect(heard(2) == [.error, .warning, .info, .debug])
    client.logLevel = .error
    #expect(heard(3) == [.error])
    client.logLevel = nil
    #expect(heard(4) == [])
    #expect(client.logLevel == nil)
  }
}
