<?php
// What becomes of methods of drop-ins under the overlay: php cache_methods.php PLUGIN_FOLDER < ["set",…]; prints for each name
// held (the overlay does it), passed (the site's cache is asked), emptied (asked after the commit) or refused.
namespace SiteOps;

define( 'ABSPATH', __DIR__ );

function is_multisite() {
	return defined( 'SITE_OPS_NETWORK' );
}
function get_current_blog_id() {
	return 2;
}
function maybe_serialize( $value ) {
	return is_array( $value ) ? serialize( $value ) : $value;
}

/** A cache that has every method; keeps what it was asked. */
final class Asked {
	public $asked = array();
	public $all   = array();
	public $blog  = 2;

	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		$found = isset( $this->all[ "$this->blog/$group/$key" ] );
		return $found ? $this->all[ "$this->blog/$group/$key" ] : false;
	}
	public function delete( $key, $group = 'default' ) {
		$this->asked[] = "delete $this->blog/$group/$key";
	}
	public function switch_to_blog( $blog ) {
		$this->blog = $blog;
	}
	public function __call( $name, $arguments ) {
		$this->asked[] = $name;
	}
}

final class Hold_Outside {
	public static $notes = array();
	public static function note( $label, $what ) {
		self::$notes[] = $label;
	}
}

require $argv[1] . '/includes/class-hold-cached.php';
require $argv[1] . '/includes/class-hold-overlay.php';

$given = json_decode( stream_get_contents( STDIN ), true );
$said  = array();
foreach ( $given['methods'] as $method ) {
	$real                = new Asked();
	$over                = new Hold_Overlay( $real, false, true );
	Hold_Outside::$notes = array();
	$several             = 1 === preg_match( '/^(add|set|get|delete)_multiple$/', $method );
	$over->$method( ...( $several ? array( array( 'k' => 'v' ), 'g' ) : array( 'k', 1, 'g' ) ) );
	$early = $real->asked;
	$over->site_ops_commit();
	$late = array_diff( $real->asked, $early );
	if ( in_array( 'other', Hold_Outside::$notes, true ) ) {
		$said[ $method ] = 'refused';
	} elseif ( in_array( 'cache', Hold_Outside::$notes, true ) ) {
		$said[ $method ] = array() === $early && in_array( $method, $late, true ) ? 'emptied' : 'wrong';
	} else {
		$said[ $method ] = in_array( $method, $early, true ) ? 'passed' : 'held';
	}
}

// A network: each of its sites has values of its own, and each forgets its own.
define( 'SITE_OPS_NETWORK', true );
$real                          = new Asked();
$real->all['1/posts/5']        = 'the first site has';
$over                          = new Hold_Overlay( $real, false, false );
$over->set( 5, 'written', 'posts' );
$over->set( 7, 'person', 'users' );
$over->switch_to_blog( 1 );
$seen = array( $over->get( 5, 'posts' ), $over->get( 7, 'users' ) );
$over->delete( 6, 'posts' );
$over->switch_to_blog( 2 );
$seen[] = $over->get( 5, 'posts' );
$over->site_ops_commit();
sort( $real->asked );
echo json_encode( array( 'said' => $said, 'seen' => $seen, 'forgot' => $real->asked, 'blog' => $real->blog ) );
