import HoistBase
import HoistCore
import Testing

@testable import HoistUnleash

/// What is posted (UNL-17, UNL-61, UNL-74, UNL-76, UNL-88; no client).
struct MetricsBodyTests {
  @Test func countsTimesAndIdentityAreInTheBody() throws {
    let options = try unleashOptions(["instance_id": "i-1", "sdk_flavor": "x"])
    var bucket = MetricsBucket(startUnixMilliseconds: 1_767_607_200_900)
    bucket.count("checkout", enabled: true, times: 12)
    bucket.count("checkout", enabled: false, times: 3)
    bucket.count("checkout", variant: "red", times: 7)
    bucket.count("quiet", enabled: true, times: 0)
    let body = MetricsBody(options: options).make(bucket: bucket, stopUnixMilliseconds: 1_767_607_230_000, impact: [])
    let text = String(decoding: body, as: UTF8.self)
    #expect(
      text.contains(
        #""bucket":{"start":"2026-01-05T10:00:00Z","stop":"2026-01-05T10:00:30Z","toggles":{"checkout":{"yes":12,"no":3,"variants":{"red":7}}}}"#
      ))
    #expect(text.contains(#""appName":"shop","instanceId":"i-1","connectionId":""#))
    #expect(text.contains(#""sdkFlavor":"x""#))
    #expect(!text.contains("quiet"))
    #expect(!text.contains("impactMetrics"))
  }

  @Test func aClockThatLeapsBackNeverMakesTheStopPrecedeTheStart() throws {
    let bucket = MetricsBucket(startUnixMilliseconds: 2_000)
    let body = MetricsBody(options: try unleashOptions()).make(bucket: bucket, stopUnixMilliseconds: 0, impact: [])
    #expect(String(decoding: body, as: UTF8.self).contains(#""start":"1970-01-01T00:00:02Z","stop":"1970-01-01T00:00:02Z""#))
  }

  @Test func impactMetricsAloneGoWithoutABucket() throws {
    let impact = ImpactMetrics()
    impact.define("purchases", help: "done", .counter)
    impact.increment("purchases", by: 2, ["plan": "pro"])
    let body = MetricsBody(options: try unleashOptions()).make(bucket: nil, stopUnixMilliseconds: 0, impact: impact.collect())
    let text = String(decoding: body, as: UTF8.self)
    #expect(text.contains(#""bucket":null"#))
    #expect(text.contains(#""samples":[{"labels":{"appName":"shop","environment":"dev","plan":"pro"},"value":2}]"#))
  }

  @Test(arguments: [("*:dev.secret", "dev"), ("p:production.v2_x", "production"), ("plain", nil), ("a:b", nil), (":.x", nil)])
  func theEnvironmentLabelComesFromTheKey(_ key: String, _ environment: String?) {
    #expect(MetricsBody.environment(ofKey: Secret(key)) == environment)
  }
}
