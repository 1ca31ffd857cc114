<?php
/**
 * Tools, Site Ops: where an administrator connects gateways and disconnects them.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** The plugin's page in the admin area. */
final class Hold_Page {

	const SLUG  = 'site-ops';
	const RIGHT = 'manage_options';

	/** What the form asks for, and the name of its nonce. */
	const CONNECT    = 'site_ops_connect';
	const DISCONNECT = 'site_ops_disconnect';
	const REMOVAL    = 'site_ops_removal';

	/** The option that says whether deleting the plugin deletes what it keeps; uninstall.php reads it. */
	const REMOVE_CONTENT = 'site_ops_remove_content';

	/** Adds the page to the menu. */
	public static function add() {
		add_management_page( __( 'Site Ops', 'site-ops' ), __( 'Site Ops', 'site-ops' ), self::RIGHT, self::SLUG, array( __CLASS__, 'show' ) );
	}

	/** Shows the page, after doing what its form asks for. */
	public static function show() {
		if ( ! current_user_can( self::RIGHT ) ) {
			wp_die( esc_html__( 'Sorry, you are not allowed to access this page.', 'site-ops' ), 403 );
		}
		$code = null;
		if ( isset( $_POST[ self::CONNECT ] ) ) {
			check_admin_referer( self::CONNECT );
			$code = Hold_Code::make();
		} elseif ( isset( $_POST[ self::DISCONNECT ] ) ) {
			check_admin_referer( self::DISCONNECT );
			Hold_Keys::remove( sanitize_key( wp_unslash( $_POST[ self::DISCONNECT ] ) ) );
		} elseif ( isset( $_POST[ self::REMOVAL ] ) ) {
			check_admin_referer( self::REMOVAL );
			update_option( self::REMOVE_CONTENT, 'remove' === $_POST[ self::REMOVAL ] ? '1' : '0', false );
		}
		echo '<div class="wrap"><h1>' . esc_html__( 'Site Ops', 'site-ops' ) . '</h1>';
		self::show_purpose();
		self::show_code( $code );
		self::show_gateways();
		self::show_removal();
		echo '</div>';
	}

	/** Says what connecting is for, and whether this site can do it. */
	private static function show_purpose() {
		$purpose = __( 'A connected gateway can try what a tool of another plugin would change, without changing anything, and can let a tool take effect only where it changes what was allowed. It signs these calls with a key that it gets when it is connected. Everything else works without.', 'site-ops' );
		$support = Hold_Keys::support();
		echo '<p>' . esc_html( $purpose ) . '</p>';
		if ( null !== $support['why'] ) {
			echo '<div class="notice notice-warning inline"><p>' . esc_html__( 'It does not work on this site yet:', 'site-ops' ) . ' ' . esc_html( $support['why'] ) . '</p></div>';
		}
	}

	/**
	 * Shows the button, and the code after it was pressed.
	 *
	 * @param string|null $code The code; only its hash is kept, so that it is shown this once.
	 */
	private static function show_code( $code ) {
		if ( null !== $code ) {
			echo '<div class="notice notice-success inline"><p>' . esc_html__( 'Give the gateway this code. It works once, within 15 minutes:', 'site-ops' ) . '</p>';
			echo '<p><code style="font-size: 1.6em">' . esc_html( $code ) . '</code></p></div>';
		}
		self::show_form( self::CONNECT, '1', __( 'Connect a gateway', 'site-ops' ), 'primary' );
	}

	/** Lists the connected gateways. */
	private static function show_gateways() {
		$gateways = Hold_Keys::all();
		echo '<h2>' . esc_html__( 'Connected gateways', 'site-ops' ) . '</h2>';
		if ( ! $gateways ) {
			echo '<p>' . esc_html__( 'No gateway is connected.', 'site-ops' ) . '</p>';
			return;
		}
		echo '<p>' . esc_html__( 'A gateway that connects again gets a further key. Its older keys work until they are disconnected.', 'site-ops' ) . '</p>';
		echo '<table class="widefat striped"><thead><tr>';
		foreach ( array( __( 'Name', 'site-ops' ), __( 'Account', 'site-ops' ), __( 'Key', 'site-ops' ), __( 'Connected', 'site-ops' ), '' ) as $heading ) {
			echo '<th scope="col">' . esc_html( $heading ) . '</th>';
		}
		echo '</tr></thead><tbody>';
		foreach ( $gateways as $gateway ) {
			$user = get_userdata( $gateway['user_id'] );
			$when = wp_date( get_option( 'date_format' ) . ' ' . get_option( 'time_format' ), $gateway['paired_at'] );
			echo '<tr><td>' . esc_html( $gateway['name'] ) . '</td>';
			echo '<td>' . esc_html( $user ? $user->user_login : __( '(deleted)', 'site-ops' ) ) . '</td>';
			echo '<td><code>' . esc_html( $gateway['key_id'] ) . '</code></td>';
			echo '<td>' . esc_html( $when ) . '</td><td>';
			self::show_form( self::DISCONNECT, $gateway['key_id'], __( 'Disconnect', 'site-ops' ), 'secondary' );
			echo '</td></tr>';
		}
		echo '</tbody></table>';
	}

	/** Says what deleting the plugin deletes, and lets that be chosen. */
	private static function show_removal() {
		$removes = '1' === get_option( self::REMOVE_CONTENT );
		$says    = $removes
			? __( 'It deletes what the plugin keeps itself too: CSS and scripts of pages made from code, SEO fields, structured data and redirects. What an SEO plugin keeps, and the pages, stay.', 'site-ops' )
			: __( 'What the plugin keeps itself stays (CSS and scripts of pages made from code, SEO fields, structured data and redirects), and is found again once the plugin is installed again. Keys of gateways go.', 'site-ops' );
		echo '<h2>' . esc_html__( 'When the plugin is deleted', 'site-ops' ) . '</h2><p>' . esc_html( $says ) . '</p>';
		$label = $removes ? __( 'Keep it instead', 'site-ops' ) : __( 'Delete it too', 'site-ops' );
		self::show_form( self::REMOVAL, $removes ? 'keep' : 'remove', $label, 'secondary' );
	}

	/**
	 * Shows a form of one button.
	 *
	 * @param string $action What it asks for.
	 * @param string $value  Of what.
	 * @param string $label  Text of the button.
	 * @param string $kind   Kind of button.
	 */
	private static function show_form( $action, $value, $label, $kind ) {
		echo '<form method="post">';
		wp_nonce_field( $action );
		printf(
			'<button type="submit" class="button button-%1$s" name="%2$s" value="%3$s">%4$s</button></form>',
			esc_attr( $kind ),
			esc_attr( $action ),
			esc_attr( $value ),
			esc_html( $label )
		);
	}
}
