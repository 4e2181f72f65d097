import Testing
@testable import HoistCurl
