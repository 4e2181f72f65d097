import Testing
@testable import HoistUnleash
