<?php
// Makes a network of sites in folders, in two runs, for WordPress reads whether it is one when it starts:
// php network.php SITE_FOLDER HOST make   makes the tables; the constants go into wp-config.php after it
// php network.php SITE_FOLDER HOST fill   makes the second site, at /two/, where every user has the role of the first
list( , $folder, $host, $step ) = $argv;
$_SERVER += array(
	'HTTP_HOST'       => $host,
	'SERVER_PROTOCOL' => 'HTTP/1.1',
	'REQUEST_METHOD'  => 'GET',
	'REQUEST_URI'     => '/',
);
require "$folder/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
if ( 'make' === $step ) {
	foreach ( $wpdb->tables( 'ms_global' ) as $table => $prefixed ) {
		$wpdb->$table = $prefixed;
	}
	install_network();
	$result = populate_network( 1, $host, 'admin@example.test', 'Test Network', '/', false );
	exit( true === $result ? 0 : 1 );
}
update_option( 'siteurl', "http://$host" );
update_option( 'home', "http://$host" );
$users = get_users();
$roles = array_map(
	function ( $user ) {
		return $user->roles[0];
	},
	$users
);
$zone  = get_option( 'timezone_string' );
// Before WordPress 6.6 the colon of a port is taken out of a domain.
add_filter(
	'wp_normalize_site_data',
	function ( $data ) use ( $host ) {
		return array_merge( $data, array( 'domain' => $host ) );
	},
	20
);
$site  = wp_insert_site(
	array(
		'domain'     => $host,
		'path'       => '/two/',
		'network_id' => 1,
		'title'      => 'Second Site',
		'user_id'    => 1,
	)
);
if ( is_wp_error( $site ) ) {
	fwrite( STDERR, $site->get_error_message() );
	exit( 1 );
}
foreach ( $users as $index => $user ) {
	add_user_to_blog( $site, $user->ID, $roles[ $index ] );
}
// What was an option of the first site is the network's now.
update_network_option( 1, WP_Application_Passwords::OPTION_KEY_IN_USE, true );
switch_to_blog( $site );
update_option( 'permalink_structure', '/%postname%/' );
update_option( 'timezone_string', $zone );
delete_option( 'rewrite_rules' );
