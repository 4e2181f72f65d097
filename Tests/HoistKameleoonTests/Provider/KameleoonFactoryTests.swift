import HoistCore
import HoistTestSupport
import Testing

@testable import HoistKameleoon

@Suite struct KameleoonFactoryTests {
  /// 4.6: what is kept belongs to a site and an environment.
  @Test func sitesAndEnvironmentsHaveStoresOfTheirOwn() throws {
    let factory = KameleoonFactory()
    func identity(_ environment: String) throws -> String {
      var values = PropertyValues(table: CoreProperties.table + factory.properties)
      try values.set("site_code", "abcdefghij")
      try values.set("environment", environment)
      return factory.storeIdentity(values)
    }
    #expect(try identity("staging") != identity("production"))
  }
}
